const PARTS = 256;

/**
 * A map by strings in 256 parts. A `Map` that outgrows its table moves all its entries at once, 60 milliseconds at half
 * a million and twice that at every doubling; here a part does, in less than one. Where every name falls into the same
 * part, it is as good as a `Map`.
 */
export class SplitMap<V> {
  readonly #parts: (Map<string, V> | undefined)[] = new Array(PARTS).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): V | undefined {
    return this.#parts[partOf(name)]?.get(name);
  }

  set(name: string, value: V): void {
    const at = partOf(name);
    this.#parts[at] ??= new Map();
    const part = this.#parts[at];
    const before = part.size;
    part.set(name, value);
    this.#size += part.size - before;
  }

  delete(name: string): boolean {
    const gone = this.#parts[partOf(name)]?.delete(name) ?? false;
    if (gone) this.#size--;
    return gone;
  }
}

/** Looks at both ends of a name: numbers count up at one, and spaces, kinds and agents stand at the other. */
function partOf(name: string): number {
  const { length } = name;
  const looked = Math.min(length, 6);
  let mixed = length;
  for (let i = 0; i < looked; i++) {
    mixed = (Math.imul(mixed, 31) + name.charCodeAt(i) * 7 + name.charCodeAt(length - 1 - i)) | 0;
  }
  return (mixed ^ (mixed >>> 8) ^ (mixed >>> 16)) & (PARTS - 1);
}
