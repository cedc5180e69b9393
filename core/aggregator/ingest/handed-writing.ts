import type { WriteHanded } from '../writer/hand-over.ts';
import type { IngestParts } from './ingest.ts';
import type { ItemResult } from './item.ts';
import { readItem } from './signed.ts';
import type { Verified, Writing } from './writing.ts';

/** Writes what other aggregators on the store have verified; each is read again, and its hashes and its signature are believed. */
export function createHandedWriting({ network, clock }: IngestParts, write: Writing): WriteHanded {
  return async (items) => {
    const results: ItemResult[] = [];
    const verified: (Verified & { readonly place: number })[] = [];
    for (const [place, { live, newcomerFrom, ...item }] of items.entries()) {
      const read = readItem(item, { network, now: clock.now(), live, verified: true });
      if ('header' in read)
        verified.push({ item: read, live, newcomer: newcomerFrom !== undefined, newcomerFrom, place });
      else results[place] = read;
    }
    const written = await write(verified);
    for (const [index, { place }] of verified.entries()) results[place] = written[index]!;
    return results;
  };
}
