import type { Clock } from '../clock.ts';
import { TokenBucket } from '../token-bucket.ts';
import type { MeshLimits } from './limits.ts';

/** How much one peer may send. */
export class SessionRates {
  readonly #envelopes: TokenBucket;
  readonly #broadcasts: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #control: TokenBucket;
  readonly #stray: TokenBucket;

  constructor(clock: Clock, limits: MeshLimits) {
    this.#envelopes = new TokenBucket(clock, limits.envelopeRate);
    this.#broadcasts = new TokenBucket(clock, limits.broadcastRate);
    this.#bytes = new TokenBucket(clock, limits.byteRate);
    this.#control = new TokenBucket(clock, limits.controlRate);
    this.#stray = new TokenBucket(clock, limits.broadcastRate);
  }

  envelope(length: number): boolean {
    return this.#bytes.take(length) && this.#envelopes.take();
  }

  broadcast(length: number): boolean {
    return this.#bytes.take(length) && this.#broadcasts.take();
  }

  /** Frames of circuits that are closed already. */
  stray(): boolean {
    return this.#stray.take();
  }

  control(): boolean {
    return this.#control.take();
  }
}
