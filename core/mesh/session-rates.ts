import type { Clock } from '../clock.ts';
import { TokenBucket } from '../token-bucket.ts';
import type { MeshLimits } from './limits.ts';

/** How much one peer may send. */
export class SessionRates {
  readonly #envelopes: TokenBucket;
  readonly #broadcasts: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #control: TokenBucket;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#envelopes = new TokenBucket(clock, limits.envelopeRate);
    this.#broadcasts = new TokenBucket(clock, limits.broadcastRate);
    this.#bytes = new TokenBucket(clock, limits.byteRate);
    this.#control = new TokenBucket(clock, limits.controlRate);
  }

  envelope(length: number): boolean {
    return this.#bytes.take(length) && this.#envelopes.take();
  }

  broadcast(length: number): boolean {
    return this.#bytes.take(length) && this.#broadcasts.take();
  }

  control(): boolean {
    return this.#control.take();
  }
}
