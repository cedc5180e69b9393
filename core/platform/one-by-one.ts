/** Does what has the same name one after the other, in the order in which it was asked for. */
export class OneByOne {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether something of this name is under way or waits. */
  isBusy(name: string): boolean {
    return this.#last.has(name);
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
