import { BoundedMap } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket for every sender; the least recently seen senders are forgotten first. */
export class SenderRates {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets: BoundedMap<string, Bucket>;

  constructor(clock: Clock, { perSecond = 100, burst = 200, senders = 10_000 } = {}) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#buckets = new BoundedMap(senders);
  }

  /** Takes one of the sender's tokens; false when there is none. */
  allow(sender: string): boolean {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(sender) ?? { tokens: this.#burst, at: now };
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond);
    bucket.at = now;
    this.#buckets.set(sender, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
