import type { Clock } from '../../platform/clock.ts';

type Duty = (signal: AbortSignal) => Promise<void>;

/** The duty, done at most every so many milliseconds; one that failed is due again. */
export function paced(duty: Duty, every: number, clock: Clock): Duty {
  let done = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const now = clock.now();
    // A clock that went back does not stop it.
    if (now >= done && now - done < every) return;
    await duty(signal);
    done = now;
  };
}
