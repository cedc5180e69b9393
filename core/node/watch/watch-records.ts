import type { SchemaTypes } from '../../../schemas/types.ts';
import type { AccusationAccount } from '../../protocol/settlement/accounts.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type AccusationRecord = SchemaTypes['accusation-record'];
export type WatchedAgent = SchemaTypes['watched-agent'];
export type SuspectBatch = SchemaTypes['suspect-batch'];

const DAY = 86_400_000;

/** One document: how far the ledger's events were read. */
export const watchState = collection<SchemaTypes['watch-state']>('watch', { schema: 'watch-state' }).ref('events');

/** Accusations of our own key, and of others by our own wallet; by key and envelope id. */
export const accusations = collection<AccusationRecord, 'open' | 'recent'>('accusations', {
  schema: 'accusation-record',
  ttl: 60 * DAY,
  indexes: {
    open: (record) => (isOpen(record) ? [record.at] : undefined),
    recent: ({ at }) => [at],
  },
});

/** One document: how far the leaves of our own batches were searched. */
export const leafSearch = collection<SchemaTypes['leaf-search']>('watch', { schema: 'leaf-search' }).ref('search');

/** Batches to compare with the headers we hold; by key and epoch. */
export const suspects = collection<SuspectBatch, 'due'>('suspect-batches', {
  schema: 'suspect-batch',
  ttl: 12 * DAY,
  indexes: { due: ({ due }) => [due] },
});

/** Agents that have put up a stake. */
export const watchedAgents = collection<WatchedAgent>('watched-agents', { schema: 'watched-agent' });

export function accusationName(key: string, id: string): string {
  return `${key}:${id}`;
}

/** Records an accusation as its account shows it. A record of the same slot keeps its answer. */
export async function noteAccusation(space: Space, account: AccusationAccount): Promise<AccusationRecord> {
  const { key, id, epoch, index, accuser, accusedAt: at, slot } = account;
  const ref = accusations.ref(accusationName(key, id));
  const { value } = await space.tx([ref], (tx) => {
    const known = tx.get(ref);
    if (known?.state === 'open' && known.slot === slot) return known;
    const answer = known?.slot === slot && known.answer ? { answer: known.answer } : {};
    const record: AccusationRecord = { key, id, epoch, index, accuser, at, slot, state: 'open', ...answer };
    tx.put(ref, record);
    return record;
  });
  return value;
}

/** Changes a record unless it is one of a later accusation by now. */
export async function changeAccusation(
  space: Space,
  { key, id, slot }: AccusationRecord,
  change: (record: AccusationRecord) => AccusationRecord,
): Promise<void> {
  const ref = accusations.ref(accusationName(key, id));
  await space.tx([ref], (tx) => {
    const record = tx.get(ref);
    if (record && record.slot === slot) tx.put(ref, change(record));
  });
}

/** Records the end of an open accusation; an end that the ledger's events have told stays. */
export async function closeAccusation(
  space: Space,
  record: AccusationRecord,
  state: AccusationRecord['state'],
): Promise<void> {
  await changeAccusation(space, record, (known) => (isOpen(known) ? { ...known, state } : known));
}

/** Not known to have ended. */
export function isOpen({ state }: AccusationRecord): boolean {
  return state === 'open' || state === 'announced';
}
