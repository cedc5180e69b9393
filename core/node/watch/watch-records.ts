import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type AccusationRecord = SchemaTypes['accusation-record'];
export type SuspectBatch = SchemaTypes['suspect-batch'];

const DAY = 86_400_000;

/** One document: how far the ledger's events were read. */
export const watchState = collection<SchemaTypes['watch-state']>('watch', { schema: 'watch-state' }).ref('events');

/** Accusations of our own key, and of others by our own wallet; by key and envelope id. */
export const accusations = collection<AccusationRecord, 'open' | 'recent'>('accusations', {
  schema: 'accusation-record',
  ttl: 60 * DAY,
  indexes: {
    open: ({ state, at }) => (state === 'open' ? [at] : undefined),
    recent: ({ at }) => [at],
  },
});

/** Batches to compare with the headers we hold; by key and epoch. */
export const suspects = collection<SuspectBatch, 'due'>('suspect-batches', {
  schema: 'suspect-batch',
  ttl: 12 * DAY,
  indexes: { due: ({ due }) => [due] },
});

/** Agents that have put up a stake. */
export const watchedAgents = collection<SchemaTypes['watched-agent']>('watched-agents', { schema: 'watched-agent' });

export function accusationName(key: string, id: string): string {
  return `${key}:${id}`;
}

/** Notes how an open accusation ended; what the events of the ledger said of it stays. */
export async function closeAccusation(
  space: Space,
  { key, id }: AccusationRecord,
  state: AccusationRecord['state'],
): Promise<void> {
  const ref = accusations.ref(accusationName(key, id));
  await space.tx([ref], (tx) => {
    const record = tx.get(ref);
    if (record?.state === 'open') tx.put(ref, { ...record, state });
  });
}
