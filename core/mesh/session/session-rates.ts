import type { Clock } from '../../platform/clock.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';
import type { MeshLimits } from '../limits.ts';

/** How many times its rate a peer may send, and how many seconds' worth at once, before it is not told any more to wait. */
const PATIENCE = 10;
const PATIENCE_AT_ONCE = 4;

/** How much one peer may send. */
export class SessionRates {
  readonly #envelopes: TokenBucket;
  readonly #broadcasts: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #control: TokenBucket;
  readonly #stray: TokenBucket;
  readonly #refused: TokenBucket;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#envelopes = new TokenBucket(clock, limits.envelopeRate);
    this.#broadcasts = new TokenBucket(clock, limits.broadcastRate);
    this.#bytes = new TokenBucket(clock, limits.byteRate);
    this.#control = new TokenBucket(clock, limits.controlRate);
    this.#stray = new TokenBucket(clock, limits.broadcastRate);
    const most = Math.max(limits.envelopeRate, limits.broadcastRate);
    this.#refused = new TokenBucket(clock, PATIENCE * most, PATIENCE_AT_ONCE * most);
  }

  envelope(length: number): boolean {
    return this.#bytes.take(length) && this.#envelopes.take();
  }

  broadcast(length: number): boolean {
    return this.#bytes.take(length) && this.#broadcasts.take();
  }

  /** Envelopes and broadcasts over their rate: refusing them costs little, but they can be as short as six bytes. */
  refused(): boolean {
    return this.#refused.take();
  }

  /** Frames of circuits that are closed already. */
  stray(): boolean {
    return this.#stray.take();
  }

  control(): boolean {
    return this.#control.take();
  }
}
