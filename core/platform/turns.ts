/** Lets so many work at once and so many more wait, first come, first served. */
export class Turns {
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor({ atOnce, waiting }: { readonly atOnce: number; readonly waiting: number }) {
    this.#free = atOnce;
    this.#mostWaiting = waiting;
  }

  get isFull(): boolean {
    return this.#free === 0 && this.#waiting.length >= this.#mostWaiting;
  }

  /** Does the work when it is its turn. Rejects with the signal's reason when that is aborted while it waits. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(turn);
    });
  }
}
