import type { Clock, Random } from '../../platform/clock.ts';

const TOKEN_LENGTH = 8;

/** An answer that took longer says too little about the other side's clock. */
const PRECISE = 4_000;

/** The other side's distance and clock as last measured, in milliseconds. */
export interface Pulse {
  /** Of the last ping and its answer. */
  readonly roundTrip: number | undefined;
  /** How far the other side's clock is ahead of ours. */
  readonly clockOffset: number | undefined;
  /** When the last ping was answered, in milliseconds since the epoch. */
  readonly measuredAt: number | undefined;
  /** Pings now: the round trip is known as soon as the answer is here. */
  ask(): void;
}

/** Pings the other side and measures its answers. Calls `silent` when nothing has followed a ping by the next beat. */
export class Heartbeat implements Pulse {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #on: { send(token: Uint8Array): void; silent(): void };
  #asked: { readonly token: Uint8Array; readonly at: number } | undefined;
  #roundTrip: number | undefined;
  #clockOffset: number | undefined;
  #measuredAt: number | undefined;

  constructor(clock: Clock, random: Random, on: { send(token: Uint8Array): void; silent(): void }) {
    this.#clock = clock;
    this.#random = random;
    this.#on = on;
  }

  get roundTrip(): number | undefined {
    return this.#roundTrip;
  }

  get clockOffset(): number | undefined {
    return this.#clockOffset;
  }

  get measuredAt(): number | undefined {
    return this.#measuredAt;
  }

  /** Takes the clock in the other side's welcome for its offset until a ping measures it. */
  introduced(time: number | undefined): void {
    if (time !== undefined) this.#clockOffset ??= time - this.#clock.now();
  }

  beat(lastSeen: number): void {
    if (this.#asked && lastSeen <= this.#asked.at) {
      this.#on.silent();
      return;
    }
    this.ask();
  }

  ask(): void {
    this.#asked = { token: this.#random.bytes(TOKEN_LENGTH), at: this.#clock.now() };
    this.#on.send(this.#asked.token);
  }

  /** The answer may have been left unread: the next beat asks anew. */
  forget(): void {
    this.#asked = undefined;
  }

  /** An answer to nothing, or with another token, counts for nothing. */
  answered(token: Uint8Array, time: number): void {
    if (!this.#asked || Buffer.compare(this.#asked.token, token) !== 0) return;
    const now = this.#clock.now();
    this.#roundTrip = now - this.#asked.at;
    this.#measuredAt = now;
    if (this.#roundTrip <= PRECISE) this.#clockOffset = time - (now - this.#roundTrip / 2);
    this.#asked = undefined;
  }
}
