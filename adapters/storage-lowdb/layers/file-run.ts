import type { Block } from './block.ts';
import type { BlockCache, BlockSource } from './block-cache.ts';
import { type Bloom, hashKey, type KeyHash } from './bloom.ts';
import type { Cursor, Item, Run } from './run.ts';

/** The places of a run's blocks in a file, and their first keys: the part of a run that is always in memory. */
export interface Outline {
  /** The number of the first block in the file. */
  readonly firstBlock: number;
  readonly firstKeys: readonly string[];
  /** The sum of the deltas in front of each block, and at the end of the last one. */
  readonly sums: Float64Array;
  readonly size: number;
  readonly bloom: Bloom | undefined;
}

/** A run in a file, read block by block through a cache. */
export class FileRun implements Run {
  readonly outline: Outline;
  readonly #source: BlockSource;
  readonly #cache: BlockCache;

  constructor(outline: Outline, source: BlockSource, cache: BlockCache) {
    this.outline = outline;
    this.#source = source;
    this.#cache = cache;
  }

  get total(): number {
    return this.outline.sums.at(-1)!;
  }

  get size(): number {
    return this.outline.size;
  }

  get parts(): number {
    return this.outline.firstKeys.length;
  }

  partKey(part: number): string {
    return this.outline.firstKeys[part]!;
  }

  get isFiltered(): boolean {
    return this.outline.bloom !== undefined;
  }

  find(key: string, hash?: KeyHash): Item | undefined {
    if (this.outline.bloom && !this.outline.bloom.mayHold(hash ?? hashKey(key))) return undefined;
    const part = this.#partOf(key);
    if (part < 0) return undefined;
    const block = this.block(part);
    const place = block.lowerBound(key);
    return place < block.count && block.key(place) === key ? block.item(place) : undefined;
  }

  below(key: string): number {
    const part = this.#partOf(key);
    if (part < 0) return 0;
    const before = this.outline.sums[part]!;
    if (this.outline.firstKeys[part] === key) return before;
    const block = this.block(part);
    return before + block.sumBefore(block.lowerBound(key));
  }

  cursor(key: string): Cursor {
    const part = this.#partOf(key);
    if (part < 0) return new BlockCursor(this, 0, 0);
    const place = this.outline.firstKeys[part] === key ? 0 : this.block(part).lowerBound(key);
    return new BlockCursor(this, part, place);
  }

  block(part: number): Block {
    return this.#cache.get(this.#source, this.outline.firstBlock + part);
  }

  /** The last block that begins at or below this key; -1 when all begin behind it. */
  #partOf(key: string): number {
    const { firstKeys } = this.outline;
    let low = -1;
    let high = firstKeys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (firstKeys[middle]! <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

class BlockCursor implements Cursor {
  readonly #run: FileRun;
  #part: number;
  #place: number;
  #item: Item | undefined;
  /** The block that was read last, so that the cache is not asked again for each of its items. */
  #block: Block | undefined;
  #blockPart = -1;

  constructor(run: FileRun, part: number, place: number) {
    this.#run = run;
    this.#part = part;
    this.#place = place;
  }

  peek(): Item | undefined {
    this.#item ??= this.#read();
    return this.#item;
  }

  peekBack(): Item | undefined {
    if (this.#place > 0) return this.#blockOf(this.#part).item(this.#place - 1);
    if (this.#part === 0) return undefined;
    const before = this.#blockOf(this.#part - 1);
    return before.item(before.count - 1);
  }

  next(): void {
    this.#place++;
    this.#item = undefined;
  }

  back(): void {
    if (this.#place === 0) this.#place = this.#blockOf(--this.#part).count;
    this.#place--;
    this.#item = undefined;
  }

  #read(): Item | undefined {
    if (this.#part >= this.#run.parts) return undefined;
    let block = this.#blockOf(this.#part);
    if (this.#place >= block.count) {
      if (this.#part + 1 >= this.#run.parts) return undefined;
      block = this.#blockOf(this.#part + 1);
      this.#part++;
      this.#place = 0;
    }
    return block.item(this.#place);
  }

  #blockOf(part: number): Block {
    if (!this.#block || part !== this.#blockPart) {
      this.#block = this.#run.block(part);
      this.#blockPart = part;
    }
    return this.#block;
  }
}
