import { toHex } from '../platform/bytes.ts';
import type { Random } from '../platform/clock.ts';

const DIGITS = 32;
/** Drawn at once: asking the system for a few bytes costs as much as for a few thousand. */
const IDS = 128;

/** Ids of requests whose callers gave none: 32 hex digits each. */
export class RequestIds {
  readonly #random: Random;
  #drawn = '';
  #used = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): string {
    if (this.#used === this.#drawn.length) {
      this.#drawn = toHex(this.#random.bytes((IDS * DIGITS) / 2));
      this.#used = 0;
    }
    this.#used += DIGITS;
    return this.#drawn.slice(this.#used - DIGITS, this.#used);
  }
}
