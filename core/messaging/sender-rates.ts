import { BoundedMap } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';
import { TokenBucket } from '../token-bucket.ts';

/** A token bucket for every sender; the least recently seen senders are forgotten first. */
export class SenderRates {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #buckets: BoundedMap<string, TokenBucket>;

  /** `perSecond` evenly, and a burst of two seconds. */
  constructor(clock: Clock, perSecond = 100, senders = 10_000) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#buckets = new BoundedMap(senders);
  }

  /** Takes one of the sender's tokens; false when there is none. */
  allow(sender: string): boolean {
    const bucket = this.#buckets.get(sender) ?? new TokenBucket(this.#clock, this.#perSecond);
    this.#buckets.set(sender, bucket);
    return bucket.take();
  }
}
