import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import type { Space } from '../../storage/space.ts';
import { series, seriesId } from '../store/flows.ts';
import { organicSeries, type StoredOrganic } from '../store/organic.ts';
import { isoTime } from '../times.ts';
import { NO_COUNTS, type SeriesCounts } from './counts.ts';

type Query = SchemaTypes['timeseries-query'];

export interface Range {
  readonly unit: 'hour' | 'day';
  /** The number of the first bucket, and of the one behind the last. */
  readonly first: number;
  readonly end: number;
}

const HOUR = 3_600_000;
const LENGTHS = { hour: HOUR, day: 24 * HOUR };
const WINDOWS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR, '30d': 720 * HOUR };
/** The longest range that is told by hours unless days are asked for. */
const BY_HOURS = 168 * HOUR;
const MOST = 1_000;

/** Every bucket of a range in the order of time. */
export async function listSeries(space: Space, { unit, first, end }: Range): Promise<SchemaTypes['timeseries']> {
  const range = { idFrom: seriesId(unit, first), idTo: seriesId(unit, end), limit: end - first };
  const [rows, counted] = await Promise.all([space.page(series, range), space.page(organicSeries, range)]);
  const known = new Map(rows.map(({ id, value }) => [id, value]));
  const organic = new Map(counted.map(({ id, value }) => [id, value]));
  return Array.from({ length: end - first }, (_, index) => {
    const at = first + index;
    const id = seriesId(unit, at);
    return rowOf(at * LENGTHS[unit], known.get(id) ?? NO_COUNTS, organic.get(id));
  });
}

/** The buckets that a query asks for; refuses ranges that make no sense. */
export function rangeOf({ window, bucket, from, to }: Query, now: number): Range {
  if (window !== undefined && (from !== undefined || to !== undefined))
    throw invalidField('/window', 'cannot be combined with from and to: ask for one of them');
  if (to !== undefined && from === undefined) throw invalidField('/from', 'is required when to is given');
  const ends = to === undefined ? now : Date.parse(to);
  const begins = from === undefined ? now - WINDOWS[window ?? '24h'] : Date.parse(from);
  if (begins < 0) throw invalidField('/from', 'must not be before 1970');
  if (begins > now) throw invalidField('/from', 'must not be in the future');
  if (ends <= begins) throw invalidField(to === undefined ? '/from' : '/to', 'must be later than from');
  const unit = bucket ?? (ends - begins > BY_HOURS ? 'day' : 'hour');
  const length = LENGTHS[unit];
  const end = Math.ceil(ends / length);
  // A window ends with the bucket of now, and has as many buckets as fit into it.
  const first =
    from === undefined ? Math.max(0, end - Math.max(1, (ends - begins) / length)) : Math.floor(begins / length);
  if (end - first > MOST)
    throw invalidField(
      from === undefined ? '/window' : '/from',
      `asks for ${end - first} buckets, and ${MOST} is the most: ask for a shorter range or for days`,
    );
  return { unit, first: Math.floor(first), end };
}

function rowOf(start: number, counts: SeriesCounts, organic: StoredOrganic | undefined): SchemaTypes['timeseries-row'] {
  const usdc = BigInt(counts.usdc);
  return {
    bucket: start / 1000,
    start_at: isoTime(start),
    join_count: counts.joins,
    deal_count: counts.deals,
    deliver_count: counts.deliveries,
    reject_count: counts.rejections,
    verdict_count: counts.verdicts,
    dispute_count: counts.disputes,
    feedback_count: counts.feedback,
    positive_count: counts.positive,
    negative_count: counts.negative,
    payment_count: counts.payments,
    settled_usdc: Number(formatUsdc(usdc)),
    settled_usdc_micro: amountJson(usdc),
    organic: organic ? figuresOf(organic) : null,
  };
}

function figuresOf({ version, usdc, payments, ratings }: StoredOrganic): SchemaTypes['organic-figures'] {
  const minorUnits = BigInt(usdc);
  return {
    version,
    payment_count: payments,
    settled_usdc: Number(formatUsdc(minorUnits)),
    settled_usdc_micro: amountJson(minorUnits),
    feedback_count: ratings,
  };
}
