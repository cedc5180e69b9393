import type { Said } from './evidence.ts';
import type { PairSums } from './sums.ts';

/** The number of numbers in `Said`: mass and sum of its four means. */
export const SAID = 8;
const FIRST = 1024;
/** No more agents than this, so that a pair of places is one exact number. */
const MOST_AGENTS = 2 ** 26;

/** The sums of pairs as columns that grow; agents are numbers. */
export class PairColumns {
  count = 0;
  from = new Int32Array(FIRST);
  to = new Int32Array(FIRST);
  /** Minor units. */
  paid = new Float64Array(FIRST);
  epoch = new Int32Array(FIRST);
  keyChanges = new Int32Array(FIRST);
  said = new Float64Array(FIRST * SAID);
  readonly #places = new Map<number, number>();

  /** Replaces the numbers of a pair. */
  put(from: number, to: number, { paid, epoch, key_changes, said }: PairSums): void {
    const place = this.#placeOf(from, to);
    this.paid[place] = Number(paid);
    this.epoch[place] = epoch;
    this.keyChanges[place] = key_changes;
    const { paid: work, returned, word, free } = said;
    this.said.set(
      [work.mass, work.sum, returned.mass, returned.sum, word.mass, word.sum, free.mass, free.sum],
      place * SAID,
    );
  }

  #placeOf(from: number, to: number): number {
    const name = from * MOST_AGENTS + to;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const place = this.count++;
    if (place === this.from.length) this.#grow(2 * place);
    this.#places.set(name, place);
    this.from[place] = from;
    this.to[place] = to;
    return place;
  }

  #grow(length: number): void {
    this.from = grown(this.from, length, Int32Array);
    this.to = grown(this.to, length, Int32Array);
    this.paid = grown(this.paid, length, Float64Array);
    this.epoch = grown(this.epoch, length, Int32Array);
    this.keyChanges = grown(this.keyChanges, length, Int32Array);
    this.said = grown(this.said, length * SAID, Float64Array);
  }
}

/** The four means that eight numbers stand for. */
export function saidOf(numbers: Float64Array): Said {
  const mean = (place: number) => ({ mass: numbers[place]!, sum: numbers[place + 1]! });
  return { paid: mean(0), returned: mean(2), word: mean(4), free: mean(6) };
}

function grown<A extends Int32Array | Float64Array>(array: A, length: number, kind: new (length: number) => A): A {
  const larger = new kind(length);
  larger.set(array);
  return larger;
}
