import type { OrganicShare } from '../../protocol/reputation/between.ts';
import type { Flow, FlowSum } from '../flows/sums.ts';
import { seriesId } from '../store/flows.ts';

/** The part of some payments and ratings that counts after clusters and ground; `micro` in minor units, with their fractions. */
export interface OrganicCounts {
  readonly micro: number;
  readonly payments: number;
  readonly ratings: number;
}

const NONE: OrganicCounts = { micro: 0, payments: 0, ratings: 0 };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Buckets that a flow holds. */
const HOURS = 24;
const DAYS = 30;

export function organicOf(sum: FlowSum, { paid, rated }: OrganicShare): OrganicCounts {
  return {
    micro: Number(sum.usdc) * paid,
    payments: paid > 0 ? sum.payments : 0,
    ratings: rated ? sum.ratings : 0,
  };
}

/** Adds up flows in all, and by the hours and days that they hold; the buckets in which nothing counts are there too. */
export class OrganicSums {
  #all = NONE;
  readonly buckets: ReadonlyMap<string, OrganicCounts>;
  readonly #buckets = new Map<string, OrganicCounts>();

  constructor(now: number) {
    const add = (unit: 'hour' | 'day', newest: number, count: number) => {
      for (let at = Math.max(0, newest - count + 1); at <= newest; at++) this.#buckets.set(seriesId(unit, at), NONE);
    };
    add('hour', Math.floor(now / HOUR), HOURS);
    add('day', Math.floor(now / DAY), DAYS);
    this.buckets = this.#buckets;
  }

  get all(): OrganicCounts {
    return this.#all;
  }

  add({ all, hours, days }: Flow, share: OrganicShare): void {
    if (share.paid === 0 && !share.rated) return;
    this.#all = plus(this.#all, organicOf(all, share));
    for (const [unit, held] of [['hour', hours] as const, ['day', days] as const])
      for (const { at, ...sum } of held) {
        const id = seriesId(unit, at);
        const known = this.#buckets.get(id);
        if (known) this.#buckets.set(id, plus(known, organicOf(sum, share)));
      }
  }
}

function plus(one: OrganicCounts, other: OrganicCounts): OrganicCounts {
  return {
    micro: one.micro + other.micro,
    payments: one.payments + other.payments,
    ratings: one.ratings + other.ratings,
  };
}
