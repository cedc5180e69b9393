import type { Clock } from './clock.ts';

/** A rate with a burst. Tokens come back evenly; nothing waits. A clock that goes back gives none and takes none. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, perSecond: number, burst = perSecond * 2) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  /** The tokens in the bucket now, with the fraction of the next one. */
  get tokens(): number {
    const now = this.#clock.now();
    const elapsed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsed * this.#perSecond) / 1_000);
    this.#at = now;
    return this.#tokens;
  }

  /** Whether `cost` tokens were there; if not, none is taken. */
  take(cost = 1): boolean {
    if (this.tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Puts back tokens that were taken. */
  give(cost: number): void {
    this.#tokens = Math.min(this.#burst, this.tokens + cost);
  }

  /** Seconds until it holds so many tokens; 0 when it does. */
  secondsUntil(tokens: number): number {
    return Math.max(0, tokens - this.tokens) / this.#perSecond;
  }
}
