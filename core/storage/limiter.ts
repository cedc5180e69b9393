import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';

/** The result of one call. */
export interface Hit {
  readonly allowed: boolean;
  /** Calls that would be allowed right now. */
  readonly remaining: number;
  /** Milliseconds until the next call is allowed; 0 when it was allowed. */
  readonly retryAfterMs: number;
  /** Milliseconds until `remaining` is back at the limit. */
  readonly resetMs: number;
}

/** Milliseconds of window times calls: whole numbers, so that the waiting times given to callers are exact. */
interface Bucket {
  used: number;
  at: number;
}

/** Limits of the size that HTTP answers can state; keeps every number exact. */
const MAX_LIMIT = 1_000_000;
const MAX_WINDOW = 30 * 24 * 60 * 60 * 1_000;

/**
 * Token buckets by key: `limit` calls at once, and one more each time `windowMs / limit` has passed. There are no
 * windows, so there is no edge at which two bursts meet: over any time `t` a key gets at most `limit + t * limit /
 * windowMs` calls. In memory only, and bounded: with too many keys the one not hit for longest is forgotten, and has
 * its calls back. A clock set back gives nothing.
 */
export class Limiter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #buckets: BoundedMap<string, Bucket>;

  constructor(clock: Pick<Clock, 'now'>, { keys = 10_000 } = {}) {
    this.#clock = clock;
    this.#buckets = new BoundedMap(keys);
  }

  /** Counts a call when it is allowed. A key has a bucket of its own under every limit and window it is hit with. */
  hit(key: string, limit: number, windowMs: number): Hit {
    check('limit', limit, MAX_LIMIT);
    check('window', windowMs, MAX_WINDOW);
    const bucket = this.#drained(`${limit}/${windowMs} ${key}`, limit);
    const full = limit * windowMs;
    const short = bucket.used + windowMs - full;
    if (short <= 0) bucket.used += windowMs;
    return {
      allowed: short <= 0,
      remaining: Math.floor((full - bucket.used) / windowMs),
      retryAfterMs: Math.max(0, Math.ceil(short / limit)),
      resetMs: Math.ceil(bucket.used / limit),
    };
  }

  #drained(name: string, limit: number): Bucket {
    const now = Math.floor(this.#clock.now());
    const bucket = this.#buckets.get(name) ?? { used: 0, at: now };
    bucket.used = Math.max(0, bucket.used - Math.max(0, now - bucket.at) * limit);
    bucket.at = now;
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

function check(what: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new RangeError(`the ${what} of calls is a whole number from 1 to ${most}, not ${value}`);
  }
}
