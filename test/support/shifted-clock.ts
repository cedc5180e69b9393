import type { Clock } from '../../core/platform/clock.ts';
import { systemClock } from '../../core/platform/system-clock.ts';

/** The machine's clock, but for jumps ahead that a test makes. Waiting takes as long as ever. */
export class ShiftedClock implements Clock {
  #ahead = 0;

  now(): number {
    return systemClock.now() + this.#ahead;
  }

  shift(ms: number): void {
    this.#ahead += ms;
  }

  after(ms: number, run: () => void): () => void {
    return systemClock.after(ms, run);
  }

  every(ms: number, run: () => void): () => void {
    return systemClock.every(ms, run);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}
