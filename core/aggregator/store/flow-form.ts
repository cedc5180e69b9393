import type { StoredForm } from '../../storage/declarations.ts';
import type { FlowSide } from '../flows/standing.ts';
import type { FlowBucket, FlowSum } from '../flows/sums.ts';
import type { StoredFlow, StoredFlowAgent } from './flows.ts';

/** Digits of USDC stand last, and not at all where there are none. */
type Sum = readonly [
  payments: number,
  ratings: number,
  score: number,
  positive: number,
  absolute: number,
  usdc?: string,
];
type Side = readonly [counterparties: number, sum: Sum];
type Sides = readonly [given: Side, got: Side];
/** Without a sum, it is that of the flow in all. */
type Bucket = readonly [at: number, sum?: Sum];
/** A window is null where it holds as much as the next larger one. */
type Windows<T> = readonly [all: T, month: T | null, week: T | null, day: T | null];

type PackedFlow = readonly [
  windows: Windows<Sum>,
  hours: readonly Bucket[],
  days: readonly Bucket[],
  /** 0 where no window loses anything. */
  due: number,
];

/**
 * A flow as it lies in the store. Most agents deal with each other once or within one day, so the same sum would stand there six times;
 * the agents stand in the document's id.
 */
export const flowForm: StoredForm<StoredFlow> = {
  pack(flow, id): PackedFlow | StoredFlow {
    const { from, to, all, hours, days, moving, due } = flow;
    if (id !== `${from}>${to}`) return flow;
    const bucket = (one: FlowBucket): Bucket => (isSame(one, all) ? [one.at] : [one.at, packSum(one)]);
    const windows = packWindows([all, moving['30d'], moving['7d'], moving['24h']], packSum, isSame);
    return [windows, hours.map(bucket), days.map(bucket), due ?? 0];
  },
  unpack(stored, id) {
    if (!Array.isArray(stored)) return stored as StoredFlow;
    const [windows, hours, days, due] = stored as unknown as PackedFlow;
    const [from = '', to = ''] = id.split('>');
    const [all, month, week, day] = unpackWindows(windows, unpackSum);
    const bucket = ([at, sum]: Bucket): FlowBucket => ({ ...(sum ? unpackSum(sum) : all), at });
    return {
      ...{ from, to, all, hours: hours.map(bucket), days: days.map(bucket) },
      moving: { '24h': day, '7d': week, '30d': month },
      ...(due > 0 && { due }),
    };
  },
};

/** The sums of an agent as they lie in the store; its id is the document's. */
export const flowAgentForm: StoredForm<StoredFlowAgent> = {
  pack(agent, id): Windows<Sides> | StoredFlowAgent {
    const { agent_id, windows } = agent;
    if (id !== agent_id) return agent;
    return packWindows(
      [windows.all, windows['30d'], windows['7d'], windows['24h']],
      ({ given, got }): Sides => [packSide(given), packSide(got)],
      (one, other) => isSameSide(one.given, other.given) && isSameSide(one.got, other.got),
    );
  },
  unpack(stored, id) {
    if (!Array.isArray(stored)) return stored as StoredFlowAgent;
    const sides = ([given, got]: Sides) => ({ given: unpackSide(given), got: unpackSide(got) });
    const [all, month, week, day] = unpackWindows(stored as unknown as Windows<Sides>, sides);
    return { agent_id: id, windows: { '24h': day, '7d': week, '30d': month, all } };
  },
};

function packWindows<T, P>(
  [all, month, week, day]: readonly [T, T, T, T],
  pack: (one: T) => P,
  same: (one: T, other: T) => boolean,
): Windows<P> {
  const unless = (one: T, larger: T) => (same(one, larger) ? null : pack(one));
  return [pack(all), unless(month, all), unless(week, month), unless(day, week)];
}

function unpackWindows<T, P>([all, month, week, day]: Windows<P>, unpack: (one: P) => T): readonly [T, T, T, T] {
  const inAll = unpack(all);
  const inMonth = month === null ? inAll : unpack(month);
  const inWeek = week === null ? inMonth : unpack(week);
  return [inAll, inMonth, inWeek, day === null ? inWeek : unpack(day)];
}

function packSum({ usdc, payments, ratings, score, positive, absolute }: FlowSum): Sum {
  return usdc === '0'
    ? [payments, ratings, score, positive, absolute]
    : [payments, ratings, score, positive, absolute, usdc];
}

function unpackSum([payments, ratings, score, positive, absolute, usdc = '0']: Sum): FlowSum {
  return { usdc, payments, ratings, score, positive, absolute };
}

function packSide(side: FlowSide): Side {
  return [side.counterparties, packSum(side)];
}

function unpackSide([counterparties, sum]: Side): FlowSide {
  return { ...unpackSum(sum), counterparties };
}

function isSame(one: FlowSum, other: FlowSum): boolean {
  return (
    one.ratings === other.ratings &&
    one.payments === other.payments &&
    one.usdc === other.usdc &&
    one.score === other.score &&
    one.positive === other.positive &&
    one.absolute === other.absolute
  );
}

function isSameSide(one: FlowSide, other: FlowSide): boolean {
  return one.counterparties === other.counterparties && isSame(one, other);
}
