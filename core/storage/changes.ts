import type { IndexEntry } from './adapter.ts';

/**
 * One change of a commit, in absolute terms: applying it twice, or over a state that already holds it, is harmless.
 * The in-memory rows apply these tuples, and file adapters write them down as JSON.
 */
export type Change =
  | readonly [
      'put',
      collection: string,
      id: string,
      version: number,
      value: string,
      entries: readonly StoredEntry[],
      expires: number | null,
    ]
  | readonly ['delete', collection: string, id: string]
  | readonly ['append', log: string, id: number, value: string, postings: readonly string[]]
  | readonly ['trim', log: string, upTo: number]
  | readonly ['total', counter: string, digits: string];

export type StoredEntry = readonly [index: IndexEntry['index'], key: IndexEntry['key']];
