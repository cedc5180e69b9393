/** A map that forgets its least recently used entry when it would hold more than `limit`. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;

  constructor(limit: number) {
    if (!(Number.isSafeInteger(limit) && limit > 0)) throw new RangeError(`a bounded map of ${limit} entries`);
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The value, which counts as a use, unless the map is so empty that nothing will be forgotten for long. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || 2 * this.#entries.size < this.#limit) return value;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }
}
