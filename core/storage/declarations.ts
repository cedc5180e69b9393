import type { FieldProblem } from '../contracts/errors.ts';
import type { IndexEntry } from './adapter.ts';
import { encodeKey, type IndexField } from './keys.ts';
import { checkId, checkName } from './names.ts';
import type { ValueRule } from './values.ts';

/** Points at one document. Made by `ref` of a collection or a ranking. */
export interface Ref<T> {
  readonly of: Collection<T>;
  readonly id: string;
  /** See `inPassing`. */
  readonly once?: boolean;
}

/**
 * The same document for a reader or writer that goes through everything: nothing is kept in memory for its next look, and what others look
 * at stays. A shared value that nobody knows is the reader's own, so it is not frozen.
 */
export function inPassing<T>({ of, id }: Ref<T>): Ref<T> {
  return { of, id, once: true };
}

/** Points at one queue of a family of queues. */
export interface QueueRef<T> {
  readonly of: Queue<T>;
  readonly id: string;
}

/** Points at one counter of a family of counters. */
export interface CounterRef {
  readonly of: Counter;
  readonly id: string;
}

/** Documents by id, found again by id or through indexes. */
export interface Collection<T, I extends string = string> {
  readonly kind: 'collection' | 'ranking';
  readonly name: string;
  readonly rule: ValueRule;
  /** Milliseconds a document lives after its last put; for ever when absent. */
  readonly ttl?: number | undefined;
  readonly indexes: readonly I[];
  /** Whether values are frozen and shared; see `CollectionSpec`. */
  readonly shared: boolean;
  /** Absent where a value is stored as it is. */
  readonly form?: StoredForm<T> | undefined;
  ref(id: string): Ref<T>;
  entriesOf(value: T): IndexEntry[];
}

/** Records in the order they were appended, with ids from 1 that are never used again. */
export interface AppendLog<T> {
  readonly kind: 'log';
  readonly name: string;
  readonly rule: ValueRule;
  /** Whether records of pages are frozen and shared, as documents of a shared collection are. */
  readonly shared: boolean;
  postingsOf(record: T): readonly string[];
}

/** A finite score per member, best first; equal scores by member, bytewise. */
export interface Ranking extends Collection<number, 'score'> {
  readonly kind: 'ranking';
}

/** Exact sums. */
export interface Counter {
  readonly kind: 'counter';
  readonly name: string;
  /** One counter of the family; without a key, the family's own. */
  ref(key?: string): CounterRef;
}

/** First in, first out, one queue per key. */
export interface Queue<T> {
  readonly kind: 'queue';
  readonly cap: number;
  readonly overflow: 'drop-oldest' | 'reject';
  /** Milliseconds an item waits before it is gone. */
  readonly ttl?: number | undefined;
  readonly heads: Collection<QueueHead>;
  readonly items: Collection<T>;
  ref(key: string): QueueRef<T>;
}

/** Items `first` up to, not including, `next` are waiting. */
export interface QueueHead {
  first: number;
  next: number;
  lease?: { token: string; upTo: number; until: number };
}

/** The fields an index orders a document by; several keys list it several times, undefined leaves it out. */
export type IndexKeys = readonly IndexField[] | readonly (readonly IndexField[])[] | undefined;

/**
 * Makes a smaller JSON value of the value of a document, which is stored instead. `unpack` gives back a value equal to the one that was packed,
 * and takes what was stored before there was a form, which is the value itself.
 */
export interface StoredForm<T> {
  pack(value: T, id: string): unknown;
  unpack(stored: unknown, id: string): T;
}

export interface CollectionSpec<T, I extends string> {
  readonly schema: ValueRule;
  readonly indexes?: Readonly<Record<I, (value: T) => IndexKeys>>;
  readonly ttl?: number;
  /**
   * Values that are put and read are frozen, and all who read a document get the same object. For documents that are
   * read and written often: such a value is parsed at most once, and checked, indexed and written once for all
   * transactions of a commit. A value that another transaction of the commit replaces is not checked.
   */
  readonly shared?: boolean;
  /** Of shared values only: they are packed once for a commit, and unpacked once while their text stays the same. */
  readonly form?: StoredForm<T>;
}

const MAX_ENTRIES = 256;

export function collection<T, I extends string = never>(name: string, spec: CollectionSpec<T, I>): Collection<T, I> {
  const indexes = Object.entries(spec.indexes ?? {}) as [I, (value: T) => IndexKeys][];
  if (spec.form && !spec.shared) throw new TypeError(`${name}: only shared values have a form`);
  const made: Collection<T, I> = {
    kind: 'collection',
    name: checkName(name),
    rule: spec.schema,
    ttl: spec.ttl,
    indexes: indexes.map(([index]) => checkName(index) as I),
    shared: spec.shared ?? false,
    form: spec.form,
    ref: (id) => ({ of: made, id: checkId(id) }),
    entriesOf(value) {
      const entries: IndexEntry[] = [];
      for (const [index, keysOf] of indexes) {
        for (const fields of manyKeys(keysOf(value))) entries.push({ index, key: encodeKey(fields) });
      }
      if (entries.length > MAX_ENTRIES)
        throw new RangeError(`${name}: a document has at most ${MAX_ENTRIES} index entries`);
      return entries;
    },
  };
  return made;
}

/** A collection whose documents live `ms` after their last put and are never seen after that. */
export function expiring<T, I extends string = never>(
  kind: string,
  { ms, ...spec }: Omit<CollectionSpec<T, I>, 'ttl'> & { readonly ms: number },
): Collection<T, I> {
  return collection<T, I>(kind, { ...spec, ttl: ms });
}

export function appendLog<T>(
  name: string,
  spec: { readonly schema: ValueRule; readonly postings?: (record: T) => readonly string[]; readonly shared?: boolean },
): AppendLog<T> {
  const postingsOf = (record: T) => [...new Set(spec.postings?.(record) ?? [])].map(checkId);
  return { kind: 'log', name: checkName(name), rule: spec.schema, shared: spec.shared ?? false, postingsOf };
}

export function ranking(name: string): Ranking {
  const scores = collection<number, 'score'>(name, { schema: checkScore, indexes: { score: (score) => [-score] } });
  const made: Ranking = {
    ...scores,
    kind: 'ranking',
    name: `${name}#ranking`,
    ref: (member) => ({ of: made, id: checkId(member) }),
  };
  return made;
}

export function counter(name: string): Counter {
  const made: Counter = {
    kind: 'counter',
    name: checkName(name),
    ref: (key) => ({ of: made, id: key === undefined ? '' : checkId(key) }),
  };
  return made;
}

export function queue<T>(
  name: string,
  spec: {
    readonly schema: ValueRule;
    readonly cap: number;
    readonly overflow: 'drop-oldest' | 'reject';
    readonly ttl?: number;
  },
): Queue<T> {
  const { schema, cap, overflow, ttl } = spec;
  if (!Number.isInteger(cap) || cap < 1) throw new RangeError(`${name}: a queue holds at least one item`);
  const life = ttl === undefined ? {} : { ttl };
  const made: Queue<T> = {
    kind: 'queue',
    cap,
    overflow,
    ttl,
    heads: hidden(collection<QueueHead>(name, { schema: () => [], ...life }), 'queue'),
    items: hidden(collection<T>(name, { schema, ...life }), 'items'),
    ref: (key) => ({ of: made, id: checkId(key) }),
  };
  return made;
}

/** The same collection under a name that no declaration can have. */
function hidden<T>(of: Collection<T>, part: string): Collection<T> {
  const made: Collection<T> = { ...of, name: `${of.name}#${part}`, ref: (id) => ({ of: made, id }) };
  return made;
}

function manyKeys(keys: IndexKeys): readonly (readonly IndexField[])[] {
  if (keys === undefined) return [];
  return keys.length > 0 && Array.isArray(keys[0])
    ? (keys as readonly (readonly IndexField[])[])
    : keys.length > 0
      ? [keys as readonly IndexField[]]
      : [];
}

function checkScore(score: unknown): readonly FieldProblem[] {
  return typeof score === 'number' ? [] : [{ pointer: '', message: 'is not a number' }];
}
