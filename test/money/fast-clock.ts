import { systemClock } from '../../core/platform/system-clock.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';

const SHORT_MS = 500;
const HASTE = 8;
/** Whoever waits this long waits for a moment, not for an answer. */
const LONG_MS = 60_000;

/**
 * The time of a play, which jumps ahead with every round. Long waits are shorter than they say, so that jobs keep up with
 * the jumps, and one that waits for a moment is woken when a jump reaches it. Time limits of single calls stay usable.
 */
export class FastClock extends ShiftedClock {
  readonly #waiting = new Set<{ readonly at: number; readonly wake: () => void }>();

  override shift(ms: number): void {
    super.shift(ms);
    for (const one of [...this.#waiting]) if (one.at <= this.now()) one.wake();
  }

  override after(ms: number, run: () => void): () => void {
    const forget = () => {
      cancel();
      this.#waiting.delete(entry);
    };
    const wake = () => {
      forget();
      run();
    };
    const entry = { at: this.now() + ms, wake };
    const cancel = systemClock.after(shortened(ms), wake);
    if (ms >= LONG_MS) this.#waiting.add(entry);
    return forget;
  }

  override every(ms: number, run: () => void): () => void {
    return systemClock.every(shortened(ms), run);
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

function shortened(ms: number): number {
  return ms <= SHORT_MS ? ms : SHORT_MS + (ms - SHORT_MS) / HASTE;
}
