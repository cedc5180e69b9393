import type { SchemaTypes } from '../../schemas/types.ts';
import { appendLog, collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';

/** Milliseconds; an epoch of PROTOCOL 17. */
const DAY = 86_400_000;

/** How far a key's epochs have come: by key in base58. */
export const nonces = collection<SchemaTypes['nonce-state']>('nonces', { schema: 'nonce-state' });

/**
 * Every envelope this node has signed, by envelope id: the journal, the outbox and the trace in one document. Once
 * delivered, an entry drops its payload and keeps its header and signature, which batches and accusations need.
 */
export const outbox = collection<SchemaTypes['outbox-entry'], 'waiting' | 'epoch'>('outbox', {
  schema: 'outbox-entry',
  ttl: 12 * DAY,
  indexes: {
    waiting: (entry) => (entry.status === 'queued' ? [entry.recipient, entry.nonce] : undefined),
    epoch: (entry) => [entry.sender, entry.nonce],
  },
});

/** The envelope for which a sender used a nonce, by `key:nonce`; kept as long as that envelope could be sent again. */
export const marks = collection<SchemaTypes['replay-mark']>('marks', { schema: 'replay-mark', ttl: 5 * DAY });

/** Two different envelopes with one nonce, by the key that signed both. */
export const conflicts = collection<SchemaTypes['nonce-conflict']>('conflicts', {
  schema: 'nonce-conflict',
  ttl: 12 * DAY,
});

/** Reports that wait for the aggregators, oldest first. */
export const reports = appendLog<SchemaTypes['report']>('reports', { schema: 'report' });

/** Everybody something waits for, found by one short read each. */
export async function waitingRecipients(space: Space): Promise<string[]> {
  const found: string[] = [];
  for (let from: [string, number] | undefined; ; ) {
    const [next] = await space.page(outbox, { index: 'waiting', limit: 1, ...(from && { from }) });
    if (!next) return found;
    found.push(next.value.recipient);
    from = [next.value.recipient, Number.MAX_VALUE];
  }
}

export function idPosting(envelopeId: string): string {
  return `id:${envelopeId}`;
}

export function conversationPosting(conversationId: string): string {
  return `conversation:${conversationId}`;
}

export function markId(key: string, nonce: number): string {
  return `${key}:${nonce}`;
}
