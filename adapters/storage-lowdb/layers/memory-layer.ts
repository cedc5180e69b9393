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

  /** The layer's own item of a document, and whether a lower layer holds one too; undefined when the layer has none. */
  find(name: string, key: string): { document: Document | undefined; isBelow: boolean } | undefined {
    const item = this.#runs.get(name)?.find(key);
    if (!item) return undefined;
    return { document: item.document, isBelow: item.document ? item.delta === 0 : item.delta === -1 };
  }

  set(name: string, key: string, document: Document | undefined, isBelow: boolean): void {
    if (!document && !isBelow) this.#runs.get(name)?.remove(key);
    else this.#make(name, true).put(key, (document ? 1 : 0) - (isBelow ? 1 : 0), document);
  }

  /** Lets a bare key come or go. */
  change(name: string, key: string, by: 1 | -1): void {
    this.#make(name, false).change(key, by);
  }

  #make(name: string, isLookedUp: boolean): MemoryRun {
    let run = this.#runs.get(name);
    if (!run) {
      run = new MemoryRun(isLookedUp);
      this.#runs.set(name, run);
    }
    return run;
  }
}

/** A sorted list in chunks; with a map beside it where keys are looked up far more often than listed. */
export class MemoryRun implements Run {
  readonly #chunks: MemoryItem[][] = [];
  readonly #sums: number[] = [];
  readonly #byKey: Map<string, MemoryItem> | undefined;
  readonly isFiltered = false;
  total = 0;
  size = 0;

  constructor(isLookedUp: boolean) {
    this.#byKey = isLookedUp ? new Map() : undefined;
  }

  get parts(): number {
    return this.#chunks.length;
  }

  partKey(part: number): string {
    return this.#chunks[part]![0]!.key;
  }

  find(key: string): Item | undefined {
    if (this.#byKey) return this.#byKey.get(key);
    const chunk = this.#chunks[this.#chunkOf(key)];
    const item = chunk?.[lowerBound(chunk, key)];
    return item?.key === key ? item : undefined;
  }

  put(key: string, delta: number, document: Document | undefined): void {
    const known = this.#byKey?.get(key);
    if (known?.delta === delta) known.document = document;
    else this.#place(key, delta, document);
  }

  /** Adds to the delta of a bare key. */
  change(key: string, by: 1 | -1): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    const place = chunk ? lowerBound(chunk, key) : 0;
    const known = chunk?.[place];
    if (known?.key !== key) this.#insert(at, place, new MemoryItem(key, by, undefined));
    else if (known.delta + by === 0) this.#take(at, place);
    else {
      known.delta += by;
      this.#add(at, by);
    }
  }

  remove(key: string): void {
    if (this.#byKey && !this.#byKey.has(key)) return;
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    const place = lowerBound(chunk, key);
    if (chunk[place]?.key === key) this.#take(at, place);
  }

  #place(key: string, delta: number, document: Document | undefined): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    const place = chunk ? lowerBound(chunk, key) : 0;
    const known = chunk?.[place];
    if (known?.key !== key) {
      this.#insert(at, place, new MemoryItem(key, delta, document));
      return;
    }
    this.#add(at, delta - known.delta);
    known.delta = delta;
    known.document = document;
  }

  #insert(at: number, place: number, item: MemoryItem): void {
    const chunk = this.#chunks[at];
    if (chunk) chunk.splice(place, 0, item);
    else {
      this.#chunks.push([item]);
      this.#sums.push(0);
    }
    this.#byKey?.set(item.key, item);
    this.size++;
    this.#add(at, item.delta);
    if (chunk && chunk.length > CHUNK) this.#split(at, chunk);
  }

  #take(at: number, place: number): void {
    const chunk = this.#chunks[at]!;
    const [item] = chunk.splice(place, 1);
    this.#byKey?.delete(item!.key);
    this.size--;
    this.#add(at, -item!.delta);
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
    for (let i = 0; i < end; i++) sum += chunk[i]!.delta;
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
  #split(at: number, chunk: MemoryItem[]): void {
    const isLast = at === this.#chunks.length - 1;
    const rest = chunk.splice(isLast ? CHUNK - 8 : CHUNK / 2);
    const sum = rest.reduce((all, { delta }) => all + delta, 0);
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
