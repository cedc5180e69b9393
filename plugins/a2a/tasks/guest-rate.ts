import type { Clock } from '../../../core/services.ts';
import { Refusal } from '../protocol/refusal.ts';

const HOUR = 3_600_000;
/** Tasks that all guests together may begin in an hour: each stays as a deal in the store of the node. */
const MOST = 120;

/** Counts the tasks of guests; a restart forgets the hour. */
export class GuestRate {
  readonly #clock: Clock;
  readonly #begun: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(): void {
    const now = this.#clock.now();
    while (this.#begun.length > 0 && this.#begun[0]! <= now - HOUR) this.#begun.shift();
    const [oldest] = this.#begun;
    if (this.#begun.length >= MOST && oldest !== undefined)
      throw new Refusal('limit', {
        detail: 'Guests began too many tasks.',
        retryAfter: Math.ceil((oldest + HOUR - now) / 1_000),
      });
    this.#begun.push(now);
  }
}
