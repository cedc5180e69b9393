import type { Clock } from './clock.ts';

/** Milliseconds within which it is noticed that a clock was set forward, or the machine slept. */
const LONGEST_WAIT = 5_000;
/** Of a timer, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Ends one wait at a moment, or before it when somebody rings. A ring while nobody waits ends the next wait at once. */
export class Alarm {
  readonly #clock: Clock;
  #isRung = false;
  #end: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#isRung = true;
    this.#end?.();
  }

  /** Resolves at this moment, in Unix milliseconds and Infinity for none, at a ring, or when the signal is aborted. One waits at a time. */
  until(moment: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let cancel = () => {};
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        this.#end = undefined;
        this.#isRung = false;
        resolve();
      };
      const wait = () => {
        const left = moment - this.#clock.now();
        if (this.#isRung || signal.aborted || left <= 0) return end();
        if (left === Number.POSITIVE_INFINITY) return;
        cancel = this.#clock.after(
          this.#clock.isSteady ? Math.min(left, LONGEST_TIMER) : Math.min(left, LONGEST_WAIT),
          wait,
        );
      };
      this.#end = end;
      signal.addEventListener('abort', end);
      wait();
    });
  }
}
