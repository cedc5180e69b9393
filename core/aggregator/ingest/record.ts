import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { Tx } from '../../storage/transaction.ts';
import { agents } from '../store/agents.ts';
import type { StoredHost } from '../store/hosts.ts';
import { seeAgent } from './agent-rows.ts';
import { type DropReason, NOTHING_DROPPED, NoRoom } from './effects/effect.ts';
import { effectOf } from './effects/index.ts';
import type { IngestParts } from './ingest.ts';
import { type ItemResult, itemResult } from './item.ts';
import { markNonce } from './nonce.ts';
import type { Signed } from './signed.ts';

interface Recorded {
  readonly result: ItemResult;
  readonly dropped: readonly DropReason[];
  /** The id under which the handlers of plugins find it. */
  readonly handled?: number | undefined;
}

/** Records one verified item and what follows from it: all of it, or nothing. */
export async function record(
  parts: IngestParts,
  item: Signed,
  payload: TypedPayload | undefined,
  hosted?: readonly StoredHost[],
): Promise<ItemResult> {
  try {
    const { result, dropped, handled } = await attemptOf(parts, item, payload, hosted);
    if (result.status === 'accepted') parts.recorded({ msg_type: item.msgType });
    if (result.status === 'accepted' && payload) parts.handling.recorded(item, payload, handled);
    for (const reason of dropped) parts.dropped({ reason });
    return result;
  } catch (error) {
    if (error instanceof NoRoom) return itemResult(item.id, 'rate-limited', error.message);
    throw error;
  }
}

async function attemptOf(
  parts: IngestParts,
  item: Signed,
  payload: TypedPayload | undefined,
  hosted: readonly StoredHost[] | undefined,
): Promise<Recorded> {
  const { space, network, epochs, handling } = parts;
  const effect = effectOf(item, payload, parts, hosted);
  const found = effect.reads();
  const own = [item.nonceRef, agents.ref(item.sender)];
  const reads = [...own, ...(found instanceof Promise ? await found : found)];
  const { value, ids } = await space.tx(reads, (tx: Tx): Recorded => {
    const { verdict, first } = markNonce(tx, item, network);
    if (verdict === 'duplicate') return { result: itemResult(item.id, 'duplicate'), dropped: NOTHING_DROPPED };
    if (verdict === 'conflict') return { result: conflictOf(item, first?.receipt_b64), dropped: NOTHING_DROPPED };
    seeAgent(tx, item.sender, item.at, epochs);
    const dropped = effect.apply(tx);
    if (handling.keeps(item)) handling.keep(tx, item);
    return { result: itemResult(item.id, 'accepted'), dropped };
  });
  return value.result.status === 'accepted' && handling.keeps(item) ? { ...value, handled: ids.at(-1) } : value;
}

function conflictOf(item: Signed, heldReceipt: string | undefined): ItemResult {
  const result = itemResult(item.id, 'conflict', 'its key signed another envelope under this nonce');
  return { ...result, ...(heldReceipt !== undefined && { held_b64: heldReceipt }) };
}
