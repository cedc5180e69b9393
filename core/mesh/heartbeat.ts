import type { Clock, Random } from '../clock.ts';

const TOKEN_LENGTH = 8;

/** Pings, and the time their answers take. When nothing at all followed a ping by the next beat, nobody is there. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #on: { send(token: Uint8Array): void; silent(): void };
  #asked: { readonly token: Uint8Array; readonly at: number } | undefined;
  #roundTrip: number | undefined;

  constructor(clock: Clock, random: Random, on: { send(token: Uint8Array): void; silent(): void }) {
    this.#clock = clock;
    this.#random = random;
    this.#on = on;
  }

  get roundTrip(): number | undefined {
    return this.#roundTrip;
  }

  beat(lastSeen: number): void {
    if (this.#asked && lastSeen <= this.#asked.at) {
      this.#on.silent();
      return;
    }
    this.#asked = { token: this.#random.bytes(TOKEN_LENGTH), at: this.#clock.now() };
    this.#on.send(this.#asked.token);
  }

  /** The answer may have been left unread: the next beat asks anew. */
  forget(): void {
    this.#asked = undefined;
  }

  /** An answer to nothing, or with another token, counts for nothing. */
  answered(token: Uint8Array): void {
    if (!this.#asked || Buffer.compare(this.#asked.token, token) !== 0) return;
    this.#roundTrip = this.#clock.now() - this.#asked.at;
    this.#asked = undefined;
  }
}
