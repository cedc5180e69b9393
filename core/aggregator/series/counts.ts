import type { StoredActivity } from '../store/logs.ts';

/** Counts of an hour or a day; `usdc` in minor units, as digits. */
export interface SeriesCounts {
  readonly joins: number;
  readonly deals: number;
  readonly deliveries: number;
  readonly rejections: number;
  readonly verdicts: number;
  readonly disputes: number;
  readonly feedback: number;
  readonly positive: number;
  readonly negative: number;
  readonly payments: number;
  readonly usdc: string;
}

export const NO_COUNTS: SeriesCounts = {
  ...{ joins: 0, deals: 0, deliveries: 0, rejections: 0, verdicts: 0, disputes: 0 },
  ...{ feedback: 0, positive: 0, negative: 0, payments: 0, usdc: '0' },
};

const COUNTED = {
  JOIN: 'joins',
  ACCEPT: 'deals',
  DELIVER: 'deliveries',
  REJECT: 'rejections',
  VERDICT: 'verdicts',
  DISPUTE: 'disputes',
  FEEDBACK: 'feedback',
  KEY_CHANGE: undefined,
} as const satisfies Record<StoredActivity['event_type'], keyof SeriesCounts | undefined>;

export function withEvent(
  counts: SeriesCounts,
  { event_type, outcome }: Pick<StoredActivity, 'event_type' | 'outcome'>,
): SeriesCounts {
  const field = COUNTED[event_type];
  if (field === undefined) return counts;
  const grown = { ...counts, [field]: counts[field] + 1 };
  if (event_type !== 'FEEDBACK' || outcome === undefined || outcome === 'neutral') return grown;
  return { ...grown, [outcome]: counts[outcome] + 1 };
}

export function withPayment(counts: SeriesCounts, minorUnits: bigint): SeriesCounts {
  return { ...counts, payments: counts.payments + 1, usdc: (BigInt(counts.usdc) + minorUnits).toString() };
}
