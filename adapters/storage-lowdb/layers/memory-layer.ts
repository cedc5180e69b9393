import type { Document } from './document.ts';
import { type Cursor, type Item, type Layer, MemoryItem, type Run } from './run.ts';

const CHUNK = 512;

/** A layer that is still being written to. */
export class MemoryLayer implements Layer {
  readonly #runs = new Map<string, MemoryRun>();

  run(name: string): Run | undefined {
    return this.#runs.get(name);
  }

  names(): string[] {
    return [...this.#runs.keys()];
  }

  /** What the layer says about a document, and whether there is one below; undefined when it says nothing. */
  find(name: string, key: string): { document: Document | undefined; isBelow: boolean } | undefined {
    const item = this.#runs.get(name)?.find(key);
    if (!item) return undefined;
    return { document: item.document, isBelow: item.document ? item.sign === 0 : item.sign === -1 };
  }

  set(name: string, key: string, document: Document | undefined, isBelow: boolean): void {
    if (!document && !isBelow) this.#runs.get(name)?.remove(key);
    else this.#make(name).put(new MemoryItem(key, (document ? 1 : 0) - (isBelow ? 1 : 0), document));
  }

  /** Lets a bare key come or go. */
  change(name: string, key: string, by: 1 | -1): void {
    const run = this.#make(name);
    const sign = (run.find(key)?.sign ?? 0) + by;
    if (sign === 0) run.remove(key);
    else run.put(new MemoryItem(key, sign, undefined));
  }

  #make(name: string): MemoryRun {
    let run = this.#runs.get(name);
    if (!run) {
      run = new MemoryRun();
      this.#runs.set(name, run);
    }
    return run;
  }
}

/** A sorted list in chunks. */
export class MemoryRun implements Run {
  readonly #chunks: Item[][] = [];
  readonly #sums: number[] = [];
  total = 0;
  size = 0;

  get parts(): number {
    return this.#chunks.length;
  }

  partKey(part: number): string {
    return this.#chunks[part]![0]!.key;
  }

  find(key: string): Item | undefined {
    const chunk = this.#chunks[this.#chunkOf(key)];
    const item = chunk?.[lowerBound(chunk, key)];
    return item?.key === key ? item : undefined;
  }

  put(item: Item): void {
    const at = this.#chunkOf(item.key);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([item]);
      this.#sums.push(0);
    } else {
      const place = lowerBound(chunk, item.key);
      const before = chunk[place];
      if (before?.key === item.key) {
        chunk[place] = item;
        this.#add(at, item.sign - before.sign);
        return;
      }
      chunk.splice(place, 0, item);
    }
    this.size++;
    this.#add(at, item.sign);
    if (chunk && chunk.length > CHUNK) this.#split(at, chunk);
  }

  remove(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    const place = lowerBound(chunk, key);
    const before = chunk[place];
    if (before?.key !== key) return;
    chunk.splice(place, 1);
    this.size--;
    this.#add(at, -before.sign);
    if (chunk.length > 0) return;
    this.#chunks.splice(at, 1);
    this.#sums.splice(at, 1);
  }

  below(key: string): number {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (!chunk) return 0;
    let sum = 0;
    for (let i = 0; i < at; i++) sum += this.#sums[i]!;
    const end = lowerBound(chunk, key);
    for (let i = 0; i < end; i++) sum += chunk[i]!.sign;
    return sum;
  }

  cursor(key: string): Cursor {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    return new ChunkCursor(this.#chunks, at, chunk ? lowerBound(chunk, key) : 0);
  }

  #add(at: number, by: number): void {
    this.#sums[at]! += by;
    this.total += by;
  }

  /** Keys that come in order leave full chunks behind. */
  #split(at: number, chunk: Item[]): void {
    const isLast = at === this.#chunks.length - 1;
    const rest = chunk.splice(isLast ? CHUNK - 8 : CHUNK / 2);
    const sum = rest.reduce((all, { sign }) => all + sign, 0);
    this.#chunks.splice(at + 1, 0, rest);
    this.#sums.splice(at + 1, 0, sum);
    this.#sums[at]! -= sum;
  }

  /** The last chunk that begins at or below this key, or the first one. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#chunks[middle]![0]!.key <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

class ChunkCursor implements Cursor {
  readonly #chunks: readonly (readonly Item[])[];
  #chunk: number;
  #place: number;

  constructor(chunks: readonly (readonly Item[])[], chunk: number, place: number) {
    this.#chunks = chunks;
    this.#chunk = chunk;
    this.#place = place;
  }

  peek(): Item | undefined {
    return this.#chunks[this.#chunk]?.[this.#place] ?? this.#chunks[this.#chunk + 1]?.[0];
  }

  peekBack(): Item | undefined {
    return this.#place > 0 ? this.#chunks[this.#chunk]?.[this.#place - 1] : this.#chunks[this.#chunk - 1]?.at(-1);
  }

  next(): void {
    if (this.#place < (this.#chunks[this.#chunk]?.length ?? 0)) this.#place++;
    else {
      this.#chunk++;
      this.#place = 1;
    }
  }

  back(): void {
    if (this.#place > 0) this.#place--;
    else {
      this.#chunk--;
      this.#place = (this.#chunks[this.#chunk]?.length ?? 1) - 1;
    }
  }
}

function lowerBound(chunk: readonly Item[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (chunk[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
