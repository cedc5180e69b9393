import { BoundedMap, deadlinePause } from '../../core/plugin.ts';

const FIRST_MS = 30_000;
const LONGEST_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

/** Pauses between tries, by a key: from 30 seconds to an hour, each twice the one before. */
export class Pauses {
  readonly #pauses = new BoundedMap<string, { readonly until: number; readonly pause: number }>(MAX_REMEMBERED);

  isPausing(key: string, now: number): boolean {
    return (this.#pauses.get(key)?.until ?? 0) > now;
  }

  /** `deadline`: what has to be done by then pauses for a tenth of the time that is left at most. */
  pause(key: string, now: number, deadline?: number): void {
    const wanted = Math.min((this.#pauses.get(key)?.pause ?? FIRST_MS / 2) * 2, LONGEST_MS);
    const pause = deadlinePause(wanted, now, deadline);
    this.#pauses.set(key, { until: now + pause, pause });
  }
}
