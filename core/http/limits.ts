import { MeshError } from '../contracts/errors.ts';
import { networkOf } from '../platform/addresses.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { TokenBucket } from '../platform/token-bucket.ts';
import type { Limit, Principal } from './route.ts';

/** Callers remembered per limit; the one not seen for longest is forgotten first. */
const MAX_CALLERS = 10_000;

/** What an answer tells of the limit its call was counted under. */
export type LimitHeaders = Readonly<Record<'ratelimit-policy' | 'ratelimit', string>>;

/** Token buckets by caller: `rate` calls at once, refilled evenly over `window` seconds. */
export class RateLimiter {
  readonly #buckets = new BoundedMap<string, TokenBucket>(MAX_CALLERS);
  readonly #limit: { readonly rate: number; readonly window: number };
  readonly #clock: Clock;

  constructor(limit: { readonly rate: number; readonly window: number }, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Takes one call from the caller's bucket; throws `rate_limited` when it is empty. Returns headers that say so. */
  take(caller: string): LimitHeaders {
    const { rate, window } = this.#limit;
    const bucket = this.#buckets.get(caller) ?? new TokenBucket(this.#clock, rate / window, rate);
    this.#buckets.set(caller, bucket);
    if (!bucket.take()) {
      const retryAfter = Math.ceil(bucket.secondsUntil(1));
      throw new MeshError('rate_limited', { retryAfter, detail: `At most ${rate} calls in ${window} seconds.` });
    }
    return {
      'ratelimit-policy': `"default";q=${rate};w=${window}`,
      ratelimit: `"default";r=${Math.floor(bucket.tokens)};t=${Math.ceil(bucket.secondsUntil(rate))}`,
    };
  }
}

/** The key of a caller under a limit. */
export function callerOf(limit: Limit, ip: string, principal: Principal): string {
  const known = limit.per === 'principal' && principal.kind !== 'anyone';
  return known ? `${principal.kind} ${principal.id}` : networkOf(ip);
}
