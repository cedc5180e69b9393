import type { PageQuery, RangeQuery } from '../../core/storage/adapter.ts';
import { compareText } from '../../core/storage/ordered-entries.ts';

/** The set that holds the entries of an index, or the ids of a collection, behind the root. */
export function setOf(collection: string, index: string | undefined): string {
  return index === undefined ? `:i:${collection}` : `:x:${collection}\0${index}`;
}

/**
 * The bounds of a page of an ordered set, for ZLEXCOUNT: the page begins behind everything up to `below` and ends
 * with what is up to `end`; empty where there is no bound.
 */
export function lexBounds({ index, from, to, reverse, after }: RangeQuery): { below: string; end: string } {
  let below = from ? { text: from, bound: `(${from}` } : { text: '', bound: '' };
  let end = to === undefined ? undefined : { text: to, bound: `(${to}` };
  if (after) {
    const text = index === undefined ? after.id : memberOf(after.key, after.id);
    if (reverse && (!end || compareText(text, end.text) < 0)) end = { text, bound: `(${text}` };
    if (!reverse && compareText(text, below.text) >= 0) below = { text, bound: `[${text}` };
  }
  return { below: below.bound, end: end?.bound ?? '' };
}

export function memberOf(key: string, id: string): string {
  return `${key}\0${id}`;
}

/** The lowest and the highest id of a page of a log, and whether the newest come first. */
export function idBounds({ before, after }: PageQuery): { low: string; high: string; newest: boolean } {
  const low = Math.max(0, Math.floor(after ?? 0)) + 1;
  const high = Math.max(0, Math.ceil(before ?? Number.MAX_SAFE_INTEGER) - 1);
  return {
    low: String(Math.min(low, Number.MAX_SAFE_INTEGER)),
    high: String(Math.min(high, Number.MAX_SAFE_INTEGER)),
    newest: before !== undefined || after === undefined,
  };
}
