/// <reference types="node" preserve="true" />
import type { DumpRow } from './dump.ts';

/** The version of the storage contract. An adapter written for the same major and no newer minor is loaded. */
export const STORAGE_API = '1.1';

/**
 * The contract of a storage adapter, and all that it must know: documents with index entries, logs with postings,
 * counters, and one atomic commit. Values are opaque text. Core does the naming, the schemas, the transactions and
 * the meaning.
 *
 * Names (`collection`, `id`, `log`, `posting`, `counter`) are arbitrary strings: they may contain any character,
 * `__proto__`, `:`, `*`, NUL excepted. An adapter never scans: every call costs O(log n + rows returned).
 */
export interface StorageAdapter {
  /** The guarantees that hold once `open` has resolved; the boot report prints them. */
  readonly guarantees: Guarantees;

  open(): Promise<void>;

  /** The rows of these documents as of one moment, in the order asked for; undefined where there is none or it has expired. */
  read(refs: readonly ReadRef[]): Promise<(Row | undefined)[]>;

  /** Rows of one index (or, without `index`, of the collection by id), bytewise by key, then by id. */
  range(query: RangeQuery): Promise<IndexedRow[]>;

  /** Where an entry stands in its index, from 0 in ascending order; undefined when it is not there. */
  rank(collection: string, index: string, key: string, id: string): Promise<number | undefined>;

  /** How many entries an index (or, without `index`, a collection) holds. */
  count(collection: string, index?: string): Promise<number>;

  /** Records of a log, or of one of its postings: newest first with `before`, oldest first with `after`. */
  page(query: PageQuery): Promise<LogRow[]>;

  /** Counters, in the order asked for; 0n where there is none. */
  counters(names: readonly string[]): Promise<bigint[]>;

  /**
   * All or nothing. Every check is made first; when one fails nothing is changed and the stale references come back.
   * Resolves only when the effects are durable in the sense of `guarantees`. Ids of appended records are given in the
   * order of the `append` effects; they start at 1, rise strictly, become visible in order and are never used again.
   * Rejects with a StorageError.
   */
  commit(batch: CommitBatch): Promise<CommitResult>;

  /**
   * Resolves when the log may hold a durable record with an id above `after`, when the signal is aborted, or when the
   * adapter is closed.
   */
  changed(log: string, after: number, signal: AbortSignal): Promise<void>;

  /**
   * The time of the store, by which it judges expiry, in Unix milliseconds; undefined while it is not known. Absent where that is the
   * time of the process.
   */
  now?(): number | undefined;

  /** Finishes what was begun, then refuses every call with `closed`. */
  close(): Promise<void>;

  /**
   * Everything the open store holds, a bounded part of it in memory at a time. Throws a StorageError with `conflict`
   * when somebody wrote meanwhile. An adapter without it cannot be moved from.
   */
  dump?(): AsyncIterable<DumpRow>;

  /**
   * Fills a store that holds nothing and is not open with the rows that `dump` of any adapter gave, all or nothing:
   * when it rejects, when `rows` throws, or when the process dies, the store is still empty or says that it was left
   * unfinished, and `load` can be called again. Rejects with `conflict` when the store holds something.
   */
  load?(rows: AsyncIterable<DumpRow>): Promise<void>;

  /**
   * Reads all that is kept, and gives a sentence for each damaged part: its kind, its place, its content, and the
   * remedy. Changes nothing. The store need not be open, and another process may use it.
   */
  examine?(): Promise<readonly string[]>;
}

/**
 * The first member of a value that is a JSON list with long runs of base64 in it: an adapter may keep those as the bytes that they are, as long
 * as it gives the same text back.
 */
export const BASE64_MARK = '=';

export interface Guarantees {
  readonly name: string;
  /** strict: an acknowledged commit survives a power cut; relaxed: it may be lost; none: memory only. */
  readonly durability: 'strict' | 'relaxed' | 'none';
  /** Whether several processes may open the same store at once. */
  readonly processes: 'one' | 'many';
  /** Why durability is not strict, or what the operator should change; shown at start. */
  readonly warnings: readonly string[];
}

export interface DocumentRef {
  readonly collection: string;
  readonly id: string;
}

export interface ReadRef extends DocumentRef {
  /** From a reader that goes through everything: nothing that is read for it need stay in memory. */
  readonly once?: boolean;
}

/**
 * `version` is the number of the commit that wrote the document: positive, rising over the whole store, never given
 * twice. So a document that was deleted, or expired, and put again does not pass for the one that was read before.
 */
export interface Row {
  readonly value: string;
  readonly version: number;
}

export interface IndexedRow extends Row {
  readonly id: string;
  /** The entry's key in the index asked for; the id itself when no index was named. */
  readonly key: string;
}

export interface RangeQuery {
  readonly collection: string;
  readonly index?: string;
  /** Inclusive lower and exclusive upper bound on the key, bytewise. */
  readonly from?: string;
  readonly to?: string;
  readonly reverse?: boolean;
  /** Continue behind this entry (exclusive), in the direction of the query. */
  readonly after?: { readonly key: string; readonly id: string };
  /** Entries to pass over, for offset pages; at most `MAX_OFFSET`. */
  readonly offset?: number;
  /** From a reader that goes through everything: nothing that is read for it need stay in memory. */
  readonly once?: boolean;
  /** At most `MAX_PAGE`, here and in every page; more is refused with a RangeError. */
  readonly limit: number;
}

export const MAX_PAGE = 2_000;
export const MAX_OFFSET = 100_000;

export interface PageQuery {
  readonly log: string;
  readonly posting?: string;
  readonly before?: number;
  readonly after?: number;
  readonly limit: number;
}

export interface LogRow {
  readonly id: number;
  readonly value: string;
}

export interface CommitBatch {
  /** `version` 0 means: must not exist. A document put or deleted without a check is overwritten blindly. */
  readonly checks: readonly (DocumentRef & { readonly version: number })[];
  readonly effects: readonly Effect[];
}

export type Effect =
  | {
      readonly kind: 'put';
      readonly collection: string;
      readonly id: string;
      readonly value: string;
      /** The document's complete set of index entries; entries of its previous version are taken out. */
      readonly entries: readonly IndexEntry[];
      /** Absolute Unix milliseconds; from then on the document and its entries are invisible. */
      readonly expires?: number;
      /** Beside `expires`: milliseconds from the commit on. An adapter with a time of its own goes by this one. */
      readonly lives?: number;
    }
  | { readonly kind: 'delete'; readonly collection: string; readonly id: string }
  | { readonly kind: 'append'; readonly log: string; readonly value: string; readonly postings: readonly string[] }
  /** Forgets records with ids up to and including `upTo`; their ids stay used. */
  | { readonly kind: 'trim'; readonly log: string; readonly upTo: number }
  | { readonly kind: 'add'; readonly counter: string; readonly amount: bigint };

export interface IndexEntry {
  readonly index: string;
  /** Printable ASCII, made by core/storage/keys.ts. */
  readonly key: string;
}

/** `version` is that of the put documents, one above that of the commit before, even if that one was refused. */
export type CommitResult =
  | { readonly ok: true; readonly ids: readonly number[]; readonly version: number }
  | { readonly ok: false; readonly stale: readonly DocumentRef[] };

/**
 * unavailable: the outcome is unknown, retry with the same operation id; full: nothing was changed, there is no room;
 * too_large: nothing was changed; conflict: nothing was changed, others kept changing what the transaction read (core
 * only, adapters answer `stale`), or the store is not in the state that a dump or a load needs; poisoned: an earlier write failed on the medium, only a restart recovers;
 * corrupt: the store cannot be opened as it is; locked: another process has it; closed: after `close`.
 */
export type StorageFault =
  | 'unavailable'
  | 'full'
  | 'too_large'
  | 'conflict'
  | 'poisoned'
  | 'corrupt'
  | 'locked'
  | 'closed';

export class StorageError extends Error {
  override name = 'StorageError';
  readonly fault: StorageFault;

  constructor(fault: StorageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
