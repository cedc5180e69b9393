import { createHash } from 'node:crypto';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import { collection } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';

/** An entry of the history before it has happened for good. */
export type HistoryDraft = SchemaTypes['history-draft'];
export type HistoryEntry = SchemaTypes['history-entry'];
type HistoryRecord = SchemaTypes['history-record'];

const KEPT_MS = 366 * 24 * 3_600_000;

/** Movements of this agent's money, by the hash of the name of the movement. */
export const history = collection<HistoryRecord, 'recent' | 'type'>('portfolio-history', {
  schema: 'history-record',
  ttl: KEPT_MS,
  indexes: { recent: ({ at }) => [at], type: ({ draft, at }) => [draft.type, at] },
});

/**
 * Adds an entry in the transaction that makes it certain. `name` is that of the step: whoever writes it twice, in
 * transactions that could repeat, reads `historyRef(name)` first.
 */
export function addEntry(tx: Tx, name: string, draft: HistoryDraft, signature: string | null): void {
  tx.put(historyRef(name), { draft, signature, at: tx.now });
}

export function historyRef(name: string) {
  return history.ref(createHash('sha256').update(name).digest('hex').slice(0, 32));
}

export function entryView(id: string, { draft, signature, at }: HistoryRecord): HistoryEntry {
  const { type, action, direction, amount, counterparty, conversation, source, details } = draft;
  return {
    ...details,
    ...{ id, type, action, direction },
    amount_usdc: amount === null ? null : formatUsdc(BigInt(amount)),
    ...{ signature, txid: signature, counterparty },
    ...(type === 'bounty' && counterparty !== null && { from_agent: counterparty }),
    ...(conversation !== undefined && { conversation_id: conversation }),
    ...(source !== undefined && { source }),
    timestamp: new Date(at).toISOString(),
  };
}
