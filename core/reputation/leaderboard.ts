import { type Ranked, rankAt } from './ranking.ts';

/** An agent as an index holds it. */
export interface Row extends Ranked {
  /** The key it was placed with. */
  readonly key: number;
}

/** The first agents of one index from where the page begins, in its order; `complete` when there are no more. */
export interface Head {
  readonly rows: readonly Row[];
  readonly complete: boolean;
}

/** The last row of the page before, and the epoch it was ranked in: go on with that epoch as `now`. */
export interface Cursor {
  readonly rank: number;
  readonly id: string;
  readonly epoch: number;
}

export interface Page {
  readonly rows: readonly Row[];
  /** The heads were too short to fill the page with certainty: read twice as much of both and merge again. */
  readonly short: boolean;
}

/**
 * The next `limit` agents in order of rank, ties by id, bytewise. Reading `limit` rows of each index, one more after a
 * cursor, is enough unless agents wait to be placed anew. A page from the top is right even then; behind a cursor they
 * are left out until they are placed.
 */
export function mergedPage(steady: Head, fading: Head, now: number, limit: number, after?: Cursor): Page {
  const limits = [unseen(steady, (row) => row.key), unseen(fading, (row) => rankAt(row, now))];
  const rows = [...steady.rows, ...fading.rows]
    .map((row) => ({ row, rank: rankAt(row, now), id: row.id }))
    .filter((place) => after === undefined || compared(place, after) > 0)
    .filter((place) => limits.every((last) => compared(place, last) <= 0))
    .sort(compared)
    .slice(0, limit)
    .map(({ row }) => row);
  return { rows, short: rows.length < limit && !(steady.complete && fading.complete) };
}

export function cursorOf(row: Ranked, now: number): Cursor {
  return { rank: rankAt(row, now), id: row.id, epoch: now };
}

type Place = Pick<Cursor, 'rank' | 'id'>;

/** Agents behind the head come after this place: a key never understates a rank. */
function unseen(head: Head, rankOf: (row: Row) => number): Place {
  const last = head.rows[head.rows.length - 1];
  if (head.complete) return { rank: Number.NEGATIVE_INFINITY, id: '' };
  if (!last) return { rank: Number.POSITIVE_INFINITY, id: '' };
  // Among those that have faded to 0 and wait to be moved, the order of the index says nothing.
  return { rank: rankOf(last), id: rankOf(last) === 0 && last.key !== 0 ? '' : last.id };
}

function compared(one: Place, other: Place): number {
  return other.rank - one.rank || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}
