import type { StoredEntry } from './changes.ts';

/**
 * One thing that a store holds. Rows come in an order that depends on the content only: the store, documents by
 * collection and id, each log followed by its records, counters; names bytewise. So equal stores give equal rows,
 * whichever adapter holds them. Versions and ids are kept: no earlier reader notices that the store has moved.
 */
export type DumpRow =
  | readonly ['store', StoreRow]
  | readonly [
      'document',
      collection: string,
      id: string,
      version: number,
      value: string,
      entries: readonly StoredEntry[],
      expires: number | null,
    ]
  | readonly ['log', name: string, LogRow]
  | readonly ['record', log: string, id: number, value: string, postings: readonly string[]]
  | readonly ['total', counter: string, digits: string];

interface StoreRow {
  /** The number of the last commit. */
  readonly commits: number;
  /** No log gives an id up to this one. */
  readonly floor: number;
}

interface LogRow {
  /** The id the next record gets. */
  readonly next: number;
  /** Records up to and including this id are forgotten. */
  readonly trimmed: number;
}

/** Entries in the one order that a dump gives them in. */
export function sortedEntries(entries: readonly StoredEntry[]): StoredEntry[] {
  return [...entries].sort(([index, key], [otherIndex, otherKey]) =>
    index === otherIndex ? Number(key > otherKey) - Number(key < otherKey) : index < otherIndex ? -1 : 1,
  );
}
