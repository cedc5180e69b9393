const LARGEST = 64;

/**
 * How many sends may be under way at once: one at first, one more for each that is taken, and one again after one that
 * is not. So a recipient that is away or has had enough is asked little, and a willing one gets many at a time.
 */
export class SendWindow {
  #size = 1;
  #underWay = 0;
  #wake = () => {};

  /** Resolves when one more may go; only one caller waits at a time. */
  async enter(): Promise<void> {
    while (this.#underWay >= this.#size) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#underWay += 1;
  }

  /** One that entered has ended; undefined when it was not sent at all. */
  leave(taken: boolean | undefined): void {
    this.#underWay -= 1;
    if (taken !== undefined) this.#size = taken ? Math.min(LARGEST, this.#size + 1) : 1;
    this.#wake();
  }
}
