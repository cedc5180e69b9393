import type { IndexEntry } from './adapter.ts';

/**
 * What a commit did, in absolute terms: applying a change twice, or over a state that already holds it, is harmless.
 * The tuples are what the in-memory rows apply and what file adapters write down, as JSON.
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
