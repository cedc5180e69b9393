import type { Clock } from '../../platform/clock.ts';

/**
 * Tells an agent to look again: whenever somebody rings, and now and then by itself, so that nothing is missed for long.
 * Rings while the agent is busy are one. Ends when the signal is aborted.
 */
export class Wakeup implements AsyncIterable<void> {
  readonly #clock: Clock;
  readonly #every: number;
  readonly #signal: AbortSignal;
  #rung = true;
  #resolve: (() => void) | undefined;

  constructor(clock: Clock, every: number, signal: AbortSignal) {
    this.#clock = clock;
    this.#every = every;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.ring(), { once: true });
  }

  ring(): void {
    this.#rung = true;
    this.#resolve?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<void> {
    while (!this.#signal.aborted) {
      if (!this.#rung) await this.#next();
      this.#rung = false;
      if (!this.#signal.aborted) yield;
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(this.#every, resolve);
      this.#resolve = () => {
        cancel();
        resolve();
      };
    });
  }
}
