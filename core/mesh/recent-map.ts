/** A map of bounded size that forgets the entry set longest ago. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  /** Forgets the entries set longest ago, as long as `isOver` says so of them. */
  forget(isOver: (value: Value) => boolean): void {
    for (const [key, value] of this.#entries) {
      if (!isOver(value)) return;
      this.#entries.delete(key);
    }
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
