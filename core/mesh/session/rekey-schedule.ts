import type { Clock } from '../../platform/clock.ts';

export interface RekeyLimits {
  /** Noise messages under one key. */
  readonly rekeyMessages: number;
  /** Milliseconds a key is used for. */
  readonly rekeyMs: number;
}

/** When the key of one direction has done enough. Asked before each record, so it needs no timer. */
export class RekeySchedule {
  readonly #clock: Clock;
  readonly #limits: RekeyLimits;
  #count = 0n;
  #since: number;

  constructor(clock: Clock, limits: RekeyLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#since = clock.now();
  }

  due(count: bigint): boolean {
    const { rekeyMessages, rekeyMs } = this.#limits;
    return count - this.#count >= rekeyMessages || this.#clock.now() - this.#since >= rekeyMs;
  }

  done(count: bigint): void {
    this.#count = count;
    this.#since = this.#clock.now();
  }
}
