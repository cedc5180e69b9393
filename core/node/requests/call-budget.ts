import { callerOf, RateLimiter, unlimitedIn } from '../../http/limits.ts';
import type { Call } from '../../http/route.ts';
import { networkOf } from '../../platform/addresses.ts';
import type { Clock } from '../../platform/clock.ts';
import { type DealDocument, isStrangers } from '../deals/deal-document.ts';

const LIMIT = { per: 'principal', rate: 600, window: 60 } as const;

/**
 * Limits how often an agent may call a route that answers others. Calls in deals of strangers are counted apart:
 * strangers can make the agent answer as often as they like, and must not use up the calls that its owner's own
 * business needs.
 */
export class CallBudget {
  readonly #own: RateLimiter;
  readonly #strangers: RateLimiter;
  readonly #isUnlimited: (network: string) => boolean;

  /** No call from the addresses of `unlimited` counts. */
  constructor(clock: Clock, unlimited?: readonly string[]) {
    this.#isUnlimited = unlimitedIn(unlimited);
    this.#own = new RateLimiter(LIMIT, clock);
    this.#strangers = new RateLimiter(LIMIT, clock);
  }

  /** Throws `rate_limited` when this caller has no calls left for messages in this deal, or outside of one. */
  take({ ip, principal }: Pick<Call<any, any, any>, 'ip' | 'principal'>, document?: DealDocument): void {
    if (this.#isUnlimited(networkOf(ip))) return;
    const limiter = document && isStrangers(document) ? this.#strangers : this.#own;
    limiter.take(callerOf(LIMIT, ip, principal));
  }
}
