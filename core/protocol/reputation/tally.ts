import type { Between, Evidence, Mean, RawMass } from './evidence.ts';
import { BAD, FREE_UNIT, GOOD, LONE, REQUESTER, SHARE, SHOWN } from './parameters.ts';

/** Raters counted for one agent: those with the most grounded money between them. */
export const MOST_RATERS = 256;

/**
 * Adds up what is said of one agent, rater by rater in bytewise order. One tally serves many agents, one after the other:
 * scoring a whole economy must not make an object for each of its pairs.
 */
export class Tally {
  readonly #usdc: number[] = [];
  readonly #value: number[] = [];
  readonly #rater: number[] = [];
  #opinions = 0;
  /** By rater: grounded money, then other money and free words with what they say. */
  readonly #total: number[] = [];
  readonly #raw: number[] = [];
  readonly #rawValue: number[] = [];
  readonly #free: number[] = [];
  readonly #freeValue: number[] = [];
  #raters = 0;

  /** Begins the next rater; the calls up to the next `begin` are about it. */
  begin(): void {
    const rater = this.#raters++;
    this.#total[rater] = 0;
    this.#raw[rater] = 0;
    this.#free[rater] = 0;
  }

  /** Grounded money behind a value. */
  opinion(usdc: number, value: number): void {
    const index = this.#opinions++;
    const rater = this.#raters - 1;
    this.#usdc[index] = usdc;
    this.#value[index] = value;
    this.#rater[index] = rater;
    this.#total[rater]! += usdc;
  }

  /** Money that is the rater's own and not grounded. */
  raw(usdc: number, value: number): void {
    this.#raw[this.#raters - 1] = usdc;
    this.#rawValue[this.#raters - 1] = value;
  }

  free(weight: number, value: number): void {
    this.#free[this.#raters - 1] = weight;
    this.#freeValue[this.#raters - 1] = value;
  }

  /** The evidence of all raters so far. The tally is empty afterwards. */
  evidence(abandoned: number, disputes: Mean): Evidence {
    const counts = this.#raters > MOST_RATERS ? this.#heaviest() : undefined;
    const { mass, sum, rankSum, blameSum } = this.#grounded(counts);
    const { rawUp, rawDown, freeUp, freeDown } = this.#rest(counts);
    this.#opinions = 0;
    this.#raters = 0;
    return { mass, sum, rankSum, blameSum, rawUp, rawDown, freeUp, freeDown, abandoned, disputes };
  }

  /**
   * No rater gives more than half of an agent's mass, above 5 USDC. Negative mass counts double. From some value on,
   * all praise counts alike: a ring gives nothing but 100, honest customers do not.
   */
  #grounded(counts: Uint8Array | undefined): Pick<Evidence, 'mass' | 'sum' | 'rankSum' | 'blameSum'> {
    let all = 0;
    for (let rater = 0; rater < this.#raters; rater++) if (!counts || counts[rater]) all += this.#total[rater]!;
    const most = Math.max(LONE, SHARE * all);
    let mass = 0;
    let sum = 0;
    let rankSum = 0;
    let blameSum = 0;
    for (let index = 0; index < this.#opinions; index++) {
      const rater = this.#rater[index]!;
      if (counts && !counts[rater]) continue;
      const value = this.#value[index]!;
      const weight = this.#usdc[index]! * Math.min(1, most / this.#total[rater]!) * (value < 0 ? BAD : 1);
      mass += weight;
      sum += weight * lifted(value, SHOWN);
      rankSum += weight * lifted(value, GOOD);
      blameSum += weight * Math.min(0, value);
    }
    return { mass, sum, rankSum, blameSum };
  }

  #rest(counts: Uint8Array | undefined): Pick<Evidence, 'rawUp' | 'rawDown' | 'freeUp' | 'freeDown'> {
    const rawUp = { usdc: 0, sum: 0, rankSum: 0 };
    const rawDown = { usdc: 0, sum: 0, rankSum: 0 };
    let freeUp = 0;
    let freeDown = 0;
    for (let rater = 0; rater < this.#raters; rater++) {
      if (counts && !counts[rater]) continue;
      const raw = this.#raw[rater]!;
      if (raw > 0) addRaw(this.#rawValue[rater]! > 0 ? rawUp : rawDown, raw, this.#rawValue[rater]!);
      const free = this.#free[rater]!;
      if (free === 0) continue;
      const value = this.#freeValue[rater]!;
      if (value > 0) freeUp += (free * value) / 100;
      else freeDown += (free * -value) / 100;
    }
    return { rawUp, rawDown, freeUp, freeDown };
  }

  /** Marks the raters with the most grounded money; of equal ones, the first. */
  #heaviest(): Uint8Array {
    const places = Array.from({ length: this.#raters }, (_, rater) => rater);
    places.sort((one, other) => this.#total[other]! - this.#total[one]! || one - other);
    const counts = new Uint8Array(this.#raters);
    for (const rater of places.slice(0, MOST_RATERS)) counts[rater] = 1;
    return counts;
  }
}

function addRaw(part: { -readonly [K in keyof RawMass]: RawMass[K] }, usdc: number, value: number): void {
  part.usdc += usdc;
  part.sum += usdc * lifted(value, SHOWN);
  part.rankSum += usdc * lifted(value, GOOD);
}

function lifted(value: number, enough: number): number {
  return value > 0 ? Math.min(100, (100 * value) / enough) : value;
}

/** The same as `contributionOf`, without an object for each part. */
export function tallied(tally: Tally, said: Float64Array, { net, share, own, vouched }: Between): void {
  const [paid, returned, word, free] = [said[0]!, said[2]!, said[4]!, said[6]!];
  tally.begin();
  const value = paid > 0 ? said[1]! / paid : 0;
  const counted = Math.min(paid, net);
  if (counted * share > 0) tally.opinion(counted * share, value);
  if (returned * share > 0) tally.opinion(returned * share, said[3]! / returned);
  const heard = REQUESTER * Math.min(vouched, word);
  if (heard > 0) tally.opinion(heard, said[5]! / word);
  const raw = counted * own - counted * share;
  if (raw > 0) tally.raw(raw, value);
  if (free > 0) tally.free(FREE_UNIT * Math.min(1, free), said[7]! / free);
}
