/** A count for each of many holders. A holder of nothing takes no room. */
export class KeyedCounter {
  readonly #held = new Map<string, number>();

  /** How many hold something. */
  get size(): number {
    return this.#held.size;
  }

  of(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** One more; the returned function gives it back, and is called once. */
  take(holder: string): () => void {
    this.#held.set(holder, this.of(holder) + 1);
    return () => {
      const left = this.of(holder) - 1;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    };
  }
}
