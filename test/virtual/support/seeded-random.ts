import { createHash } from 'node:crypto';
import type { Random } from '../../../core/platform/clock.ts';

/** Numbers that follow from a seed (sfc32). `branch` gives an independent source, whatever was drawn before. */
export class SeededRandom implements Random {
  readonly #seed: string;
  readonly #state: Uint32Array;

  constructor(seed: string) {
    this.#seed = seed;
    const digest = createHash('sha256').update(seed).digest();
    this.#state = Uint32Array.from([0, 4, 8, 12], (offset) => digest.readUInt32LE(offset));
  }

  branch(name: string): SeededRandom {
    return new SeededRandom(`${this.#seed}/${name}`);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#next() >>> 24);
  }

  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  pick<T>(among: readonly T[]): T {
    return among[this.below(among.length)]!;
  }

  #next(): number {
    const state = this.#state;
    const [a, b, c, counter] = state as unknown as [number, number, number, number];
    const sum = a + b + counter;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    state[3] = counter + 1;
    return sum >>> 0;
  }
}
