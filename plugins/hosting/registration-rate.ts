import { MeshError } from '../../core/plugin.ts';
import type { Clock } from '../../core/services.ts';

const MINUTE = 60_000;

/** How many agents may register in a minute, whoever asks: keys and places cost their clients nothing. */
export class RegistrationRate {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #rate: number;
  #left: number;
  #at: number;

  constructor(clock: Pick<Clock, 'now'>, rate: number) {
    this.#clock = clock;
    this.#rate = rate;
    this.#left = rate;
    this.#at = clock.now();
  }

  /** Throws `rate_limited`. */
  take(): void {
    const now = this.#clock.now();
    const refilled = (Math.max(0, now - this.#at) * this.#rate) / MINUTE;
    this.#left = Math.min(this.#rate, this.#left + refilled);
    this.#at = now;
    if (this.#left < 1) {
      const retryAfter = Math.ceil(((1 - this.#left) * MINUTE) / this.#rate / 1_000);
      throw new MeshError('rate_limited', {
        detail: `${this.#rate} agents registered in the last minute.`,
        retryAfter,
      });
    }
    this.#left -= 1;
  }
}
