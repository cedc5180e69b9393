/** Escrow payments and counted ratings from one agent to another in some time. */
export interface FlowSum {
  /** Minor units of USDC that escrows paid, as digits. */
  readonly usdc: string;
  readonly payments: number;
  readonly ratings: number;
  /** The sum of the scores. */
  readonly score: number;
  /** The sum of the scores above zero. */
  readonly positive: number;
  /** The sum of the scores without their signs. */
  readonly absolute: number;
}

/** The sum of an hour or a day, by its number since 1970. */
export interface FlowBucket extends FlowSum {
  readonly at: number;
}

export type MovingWindow = '24h' | '7d' | '30d';
export type FlowWindow = MovingWindow | 'all';

/** One ordered pair. `moving` holds as of the last change or expiry; `due` is when the first bucket leaves a window. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly all: FlowSum;
  readonly hours: readonly FlowBucket[];
  readonly days: readonly FlowBucket[];
  readonly moving: Readonly<Record<MovingWindow, FlowSum>>;
  readonly due?: number;
}

/** A payment in minor units, or a rating; `at` in Unix milliseconds. */
export type FlowFact = { readonly at: number } & ({ readonly usdc: bigint } | { readonly score: number });

export const FLOW_WINDOWS: readonly FlowWindow[] = ['24h', '7d', '30d', 'all'];
export const NO_FLOW: FlowSum = { usdc: '0', payments: 0, ratings: 0, score: 0, positive: 0, absolute: 0 };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOURS = 24;
const WEEK = 7;
const MONTH = 30;

export function newFlow(from: string, to: string): Flow {
  return { from, to, all: NO_FLOW, hours: [], days: [], moving: { '24h': NO_FLOW, '7d': NO_FLOW, '30d': NO_FLOW } };
}

/** Adds facts; one from the future counts as of now. */
export function withFacts(flow: Flow, facts: readonly FlowFact[], now: number): Flow {
  let { all, hours, days } = flow;
  for (const fact of facts) {
    const at = Math.min(fact.at, now);
    const sum = sumOf(fact);
    all = plus(all, sum);
    hours = withBucket(hours, Math.floor(at / HOUR), sum);
    days = withBucket(days, Math.floor(at / DAY), sum);
  }
  return flowAt({ ...flow, all, hours, days }, now);
}

/** The flow as of a moment: buckets that no window holds any more are gone. */
function flowAt(flow: Flow, now: number): Flow {
  const [hour, day] = [Math.floor(now / HOUR), Math.floor(now / DAY)];
  const hours = flow.hours.filter(({ at }) => at > hour - HOURS);
  const days = flow.days.filter(({ at }) => at > day - MONTH);
  const week = days.filter(({ at }) => at > day - WEEK);
  const { due: _due, ...rest } = flow;
  const ends = [
    ...hours.map(({ at }) => (at + HOURS) * HOUR),
    ...days.map(({ at }) => (at + (at > day - WEEK ? WEEK : MONTH)) * DAY),
  ];
  return {
    ...rest,
    hours,
    days,
    moving: { '24h': total(hours), '7d': total(week), '30d': total(days) },
    ...(ends.length > 0 && { due: Math.min(...ends) }),
  };
}

export function flowIn(flow: Flow, window: FlowWindow): FlowSum {
  return window === 'all' ? flow.all : flow.moving[window];
}

export function isFlow({ payments, ratings }: FlowSum): boolean {
  return payments + ratings > 0;
}

export function isSettled({ payments }: FlowSum): boolean {
  return payments > 0;
}

/** USDC in minor units where money was settled, points of praise otherwise. */
export function strengthOf(sum: FlowSum): number {
  return isSettled(sum) ? Number(sum.usdc) : sum.positive;
}

/** The strengths of both ways: minor units of USDC where they are of money, points of praise otherwise. */
export interface MutualFlow {
  readonly flow: number;
  readonly isSettled: boolean;
}

/**
 * Two flows are mutual when they have this in common: both of settled USDC, or both of praise, and the smaller is more than half
 * of the larger. Undefined when they are not.
 */
export function mutualFlow(one: FlowSum, other: FlowSum): MutualFlow | undefined {
  if (isSettled(one) !== isSettled(other)) return undefined;
  const [a, b] = [strengthOf(one), strengthOf(other)];
  const larger = Math.max(a, b);
  return larger > 0 && 2 * Math.min(a, b) > larger ? { flow: a + b, isSettled: isSettled(one) } : undefined;
}

export function plus(one: FlowSum, other: FlowSum): FlowSum {
  return added(one, other, 1);
}

export function minus(one: FlowSum, other: FlowSum): FlowSum {
  return added(one, other, -1);
}

function added(one: FlowSum, other: FlowSum, sign: 1 | -1): FlowSum {
  return {
    usdc: other.usdc === '0' ? one.usdc : (BigInt(one.usdc) + BigInt(sign) * BigInt(other.usdc)).toString(),
    payments: one.payments + sign * other.payments,
    ratings: one.ratings + sign * other.ratings,
    score: one.score + sign * other.score,
    positive: one.positive + sign * other.positive,
    absolute: one.absolute + sign * other.absolute,
  };
}

function sumOf(fact: FlowFact): FlowSum {
  if ('usdc' in fact) return { ...NO_FLOW, usdc: fact.usdc.toString(), payments: 1 };
  const { score } = fact;
  return { ...NO_FLOW, ratings: 1, score, positive: Math.max(0, score), absolute: Math.abs(score) };
}

function withBucket(buckets: readonly FlowBucket[], at: number, sum: FlowSum): readonly FlowBucket[] {
  const place = buckets.findIndex((one) => one.at >= at);
  const known = buckets[place];
  const grown = { ...(known?.at === at ? plus(known, sum) : sum), at };
  const before = place < 0 ? buckets : buckets.slice(0, place);
  const after = place < 0 ? [] : buckets.slice(known?.at === at ? place + 1 : place);
  return [...before, grown, ...after];
}

function total(buckets: readonly FlowBucket[]): FlowSum {
  return buckets.reduce<FlowSum>(plus, NO_FLOW);
}
