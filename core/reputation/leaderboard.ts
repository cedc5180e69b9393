import { type Placement, type Ranked, rankAt } from './ranking.ts';

/** The first agents of one index, in its order; `complete` when there are no more behind them. */
export interface Head {
  readonly rows: readonly Ranked[];
  readonly complete: boolean;
}

/** The last row of the page before, and the epoch it was ranked in: go on with that epoch as `now`. */
export interface Cursor {
  readonly rank: number;
  readonly id: string;
  readonly epoch: number;
}

export interface Page {
  readonly rows: readonly Ranked[];
  /** The heads were too short to fill the page with certainty: read twice as much of both and merge again. */
  readonly short: boolean;
}

/**
 * The next `limit` agents in order of rank, ties by id, bytewise. Reading `limit + 1` rows of each index is enough
 * unless agents that have begun to fade still wait to be moved; the order is right even then.
 */
export function mergedPage(steady: Head, fading: Head, now: number, limit: number, after?: Cursor): Page {
  const floor = Math.max(unseenRank('steady', steady, now), unseenRank('fading', fading, now));
  const rows = [...steady.rows, ...fading.rows]
    .filter((row) => after === undefined || isBehind(row, after, now))
    .sort((one, other) => rankAt(other, now) - rankAt(one, now) || bytewise(one.id, other.id));
  const certain = rows.filter((row) => rankAt(row, now) > floor).slice(0, limit);
  return { rows: certain, short: certain.length < limit && !(steady.complete && fading.complete) };
}

export function cursorOf(row: Ranked, now: number): Cursor {
  return { rank: rankAt(row, now), id: row.id, epoch: now };
}

/** No agent behind the head ranks higher than the key of its last row, which never understates a rank. */
function unseenRank(index: Placement['index'], head: Head, now: number): number {
  if (head.complete) return Number.NEGATIVE_INFINITY;
  const last = head.rows[head.rows.length - 1];
  if (!last) return Number.POSITIVE_INFINITY;
  return index === 'steady' ? last.bound : rankAt(last, now);
}

function isBehind(row: Ranked, cursor: Cursor, now: number): boolean {
  const rank = rankAt(row, now);
  return rank < cursor.rank || (rank === cursor.rank && bytewise(row.id, cursor.id) > 0);
}

function bytewise(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
