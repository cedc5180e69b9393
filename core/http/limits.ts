import { MeshError } from '../contracts/errors.ts';
import { networkOf } from '../platform/addresses.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { TokenBucket } from '../platform/token-bucket.ts';
import type { Limit, Principal } from './route.ts';

/** Callers remembered per limit; the one not seen for longest is forgotten first. */
const MAX_CALLERS = 10_000;

/** The limit that a call was counted under, as its answer tells it. */
export type LimitHeaders = Readonly<Record<'ratelimit-policy' | 'ratelimit', string>>;

interface Rate {
  readonly rate: number;
  readonly window: number;
  readonly strict?: boolean;
}

/** Token buckets by caller: `rate` calls at once, refilled evenly over `window` seconds; or, when it is strict, no more in any window. */
export class RateLimiter {
  readonly #buckets = new BoundedMap<string, TokenBucket>(MAX_CALLERS);
  /** When the calls of the last window were made, by caller. */
  readonly #calls = new BoundedMap<string, readonly number[]>(MAX_CALLERS);
  readonly #limit: Rate;
  readonly #clock: Clock;

  constructor(limit: Rate, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Takes one call from the caller's bucket; throws `rate_limited` when it is empty. Returns headers that say so. */
  take(caller: string): LimitHeaders {
    const { rate, window, strict } = this.#limit;
    if (strict) return this.#takeStrictly(caller);
    const bucket = this.#bucketOf(caller);
    if (!bucket.take()) {
      const retryAfter = Math.ceil(bucket.secondsUntil(1));
      throw new MeshError('rate_limited', { retryAfter, detail: `At most ${rate} calls in ${window} seconds.` });
    }
    return {
      'ratelimit-policy': `"default";q=${rate};w=${window}`,
      ratelimit: `"default";r=${Math.floor(bucket.tokens)};t=${Math.ceil(bucket.secondsUntil(rate))}`,
    };
  }

  /** Takes one call, or says that there is none left. */
  tryTake(caller: string): boolean {
    if (!this.#limit.strict) return this.#bucketOf(caller).take();
    try {
      this.take(caller);
      return true;
    } catch {
      return false;
    }
  }

  /** Gives back a call that was taken, where a bucket counts them, for it came to nothing. */
  giveBack(caller: string): void {
    this.#buckets.get(caller)?.give(1);
  }

  #bucketOf(caller: string): TokenBucket {
    const known = this.#buckets.get(caller);
    if (known) return known;
    const { rate, window } = this.#limit;
    const bucket = new TokenBucket(this.#clock, rate / window, rate);
    this.#buckets.set(caller, bucket);
    return bucket;
  }

  #takeStrictly(caller: string): LimitHeaders {
    const { rate, window } = this.#limit;
    const now = this.#clock.now();
    const calls = (this.#calls.get(caller) ?? []).filter((at) => at <= now && at > now - window * 1_000);
    if (calls.length >= rate) {
      this.#calls.set(caller, calls);
      throw new MeshError('rate_limited', {
        retryAfter: window,
        detail: `At most ${rate} calls in ${window} seconds.`,
      });
    }
    this.#calls.set(caller, [...calls, now]);
    const over = Math.ceil(((calls[0] ?? now) + window * 1_000 - now) / 1_000);
    return {
      'ratelimit-policy': `"default";q=${rate};w=${window}`,
      ratelimit: `"default";r=${rate - calls.length - 1};t=${over}`,
    };
  }
}

/** The key of a caller under a limit. */
export function callerOf(limit: Limit, ip: string, principal: Principal): string {
  const known = limit.per === 'principal' && principal.kind !== 'anyone';
  return known ? `${principal.kind} ${principal.id}` : networkOf(ip);
}

/** Tells whether a network is that of an address that no limit counts. */
export function unlimitedIn(addresses: readonly string[] = []): (network: string) => boolean {
  const networks = new Set(addresses.map(networkOf));
  return (network) => networks.has(network);
}
