import type { Clock } from '../../platform/clock.ts';

/** Runs out when no deal has settled for a while; remembers the last thing that went wrong, to say why. */
export class Patience {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #out: (reason: string) => void;
  #cancel = () => {};
  #trouble = 'nothing went wrong, but nothing happened either';

  constructor(clock: Clock, ms: number, out: (reason: string) => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#out = out;
    this.renew();
  }

  /** A deal has settled. */
  renew(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(this.#ms, () => {
      this.renew();
      this.#out(`No deal has settled for ${this.#ms / 1_000} seconds: ${this.#trouble}.`);
    });
  }

  trouble(reason: string): void {
    this.#trouble = reason;
  }

  end(): void {
    this.#cancel();
  }
}
