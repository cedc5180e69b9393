import type { StorageAdapter } from './adapter.ts';
import type { AppendLog, Collection, Ranking } from './declarations.ts';
import { encodeKey, encodeRange, type KeyRange } from './keys.ts';
import { collectionName, locate, logName } from './locate.ts';
import type { SharedValues } from './shared-values.ts';

export const DEFAULT_PAGE = 50;

interface Paged {
  readonly reverse?: boolean;
  /** Rows to pass over, at most 100 000; unstable while others write. Prefer `after`. */
  readonly offset?: number;
  /** 1 to 2 000; 50 when absent. */
  readonly limit?: number;
}

/** A row of a page. It can be given as `after` to continue behind it. */
export interface Found<T> {
  readonly id: string;
  readonly key: string;
  readonly value: T;
}

/** A page of an index, or, without one, of the collection by id. */
export type CollectionQuery<I extends string> = Paged & {
  readonly after?: { key: string; id: string } | undefined;
  /** For a reader that goes through everything: shared values are not kept in memory for it. */
  readonly once?: boolean;
} & (
    | (KeyRange & { readonly index: I })
    | { readonly index?: undefined; readonly idPrefix?: string }
    /** Inclusive and exclusive. */
    | { readonly index?: undefined; readonly idFrom: string; readonly idTo: string }
  );

/** Newest first, unless only `after` is given. */
export interface LogQuery {
  /** Exclusive. */
  readonly before?: number | undefined;
  /** Exclusive. */
  readonly after?: number | undefined;
  readonly posting?: string | undefined;
  readonly limit?: number;
}

export interface Logged<T> {
  readonly id: number;
  readonly record: T;
}

/** `reverse` is worst first. `after` continues exactly behind a member and its score, whatever moved since. */
export interface RankingQuery extends Paged {
  readonly after?: Ranked | undefined;
}

export interface Ranked {
  readonly member: string;
  readonly score: number;
}

export async function collectionPage<T>(
  adapter: StorageAdapter,
  space: string,
  of: Collection<T>,
  values: SharedValues,
  { limit = DEFAULT_PAGE, reverse, offset, after, once = false, ...query }: CollectionQuery<string>,
): Promise<Found<T>[]> {
  const collection = collectionName(space, of);
  const rows = await adapter.range({
    collection,
    ...(query.index === undefined ? idRange(query) : { index: query.index, ...encodeRange(query) }),
    ...(reverse && { reverse }),
    ...(offset && { offset }),
    ...(after && { after: { key: after.key, id: after.id } }),
    ...(once && { once }),
    limit,
  });
  return rows.map(({ id, key, value: text }) => {
    return { id, key, value: values.document({ of, id, once }, collection, text) };
  });
}

export async function logPage<T>(
  adapter: StorageAdapter,
  space: string,
  log: AppendLog<T>,
  { before, after, posting, limit = DEFAULT_PAGE }: LogQuery,
  values?: SharedValues,
): Promise<Logged<T>[]> {
  const name = logName(space, log);
  const rows = await adapter.page({
    log: name,
    ...(posting !== undefined && { posting }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    limit,
  });
  return rows.map(({ id, value }) => ({
    id,
    record: log.shared && values ? values.of(name, id, value) : JSON.parse(value),
  }));
}

export async function rankingPage(
  adapter: StorageAdapter,
  space: string,
  ranking: Ranking,
  { limit = DEFAULT_PAGE, reverse, offset, after }: RankingQuery,
): Promise<Ranked[]> {
  const rows = await adapter.range({
    collection: collectionName(space, ranking),
    index: 'score',
    ...(reverse && { reverse }),
    ...(offset && { offset }),
    ...(after && { after: { key: encodeKey([-after.score]), id: after.member } }),
    limit,
  });
  return rows.map(({ id, value }) => ({ member: id, score: JSON.parse(value) }));
}

export async function rankOf(
  adapter: StorageAdapter,
  space: string,
  ranking: Ranking,
  member: string,
): Promise<number | undefined> {
  const ref = locate(space, ranking.ref(member));
  // The score may change between the two reads; then the entry is not where it was and the new one is looked up.
  for (let tries = 0; tries < 8; tries++) {
    const [row] = await adapter.read([ref]);
    if (!row) return undefined;
    const rank = await adapter.rank(ref.collection, 'score', encodeKey([-JSON.parse(row.value)]), member);
    if (rank !== undefined) return rank + 1;
  }
  return undefined;
}

type IdQuery = { readonly idPrefix?: string } | { readonly idFrom: string; readonly idTo: string };

function idRange(query: IdQuery): { from?: string; to?: string } {
  if ('idFrom' in query) return { from: query.idFrom, to: query.idTo };
  const prefix = query.idPrefix;
  return prefix ? { from: prefix, to: `${prefix}\u{10ffff}` } : {};
}
