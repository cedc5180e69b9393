import type { TypedPayload } from '../../envelopes/payloads/payloads.ts';
import type { Tx } from '../../storage/transaction.ts';
import { agents } from '../store/agents.ts';
import { nonces } from '../store/nonces.ts';
import { seeAgent } from './agent-rows.ts';
import { effectOf } from './effects/index.ts';
import type { IngestParts } from './ingest.ts';
import { type ItemResult, itemResult } from './item.ts';
import { markNonce, nonceIdOf } from './nonce.ts';
import type { Signed } from './signed.ts';

/** Records one verified item and what follows from it: all of it, or nothing. */
export async function record(parts: IngestParts, item: Signed, payload: TypedPayload | undefined): Promise<ItemResult> {
  const { space, network } = parts;
  const effect = effectOf(item, payload, parts);
  const reads = [nonces.ref(nonceIdOf(item, network)), agents.ref(item.sender), ...(await effect.reads())];
  const { value } = await space.tx(reads, (tx: Tx) => {
    const { verdict, first } = markNonce(tx, item, network);
    if (verdict === 'duplicate') return { result: itemResult(item.id, 'duplicate'), drops: [] };
    if (verdict === 'conflict') return { result: conflictOf(item, first?.receipt_b64), drops: [] };
    seeAgent(tx, item.sender, item.at);
    return { result: itemResult(item.id, 'accepted'), drops: effect.apply(tx, verdict === 'more') };
  });
  for (const reason of value.drops) parts.dropped({ reason });
  return value.result;
}

function conflictOf(item: Signed, heldReceipt: string | undefined): ItemResult {
  const result = itemResult(item.id, 'conflict', 'its key signed another envelope under this nonce');
  return { ...result, ...(heldReceipt !== undefined && { held_b64: heldReceipt }) };
}
