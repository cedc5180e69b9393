import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { TokenBucket } from '../platform/token-bucket.ts';

/** A token bucket for every sender; the least recently seen senders are forgotten first. */
export class SenderRates {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets: BoundedMap<string, TokenBucket>;

  /** `perSecond` evenly, and a burst of two seconds unless said otherwise. */
  constructor(clock: Clock, perSecond = 100, burst = perSecond * 2, senders = 10_000) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#buckets = new BoundedMap(senders);
  }

  /** Takes one of the sender's tokens; false when there is none. */
  allow(sender: string): boolean {
    const bucket = this.#buckets.get(sender) ?? new TokenBucket(this.#clock, this.#perSecond, this.#burst);
    this.#buckets.set(sender, bucket);
    return bucket.take();
  }
}

/** So many a minute, which may come at once. */
export function textRatesOf(clock: Clock, perMinute = 60): SenderRates {
  return new SenderRates(clock, perMinute / 60, perMinute);
}
