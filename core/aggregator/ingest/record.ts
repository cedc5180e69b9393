import { toBase64 } from '../../platform/bytes.ts';
import { isPrivate, type MessageName } from '../../protocol/envelopes/message-types.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { receiptBytesOf } from '../../protocol/envelopes/receipt.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { Epochs } from '../epochs.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { agents } from '../store/agents.ts';
import { heard as heardOf } from '../store/heard.ts';
import { seeAgent } from './agent-rows.ts';
import { heardWith, isAnnouncement, isNews, isOld } from './announcement.ts';
import { NOTHING_SHOWN, type Shown } from './effects/beacon.ts';
import { type DropReason, NOTHING_DROPPED, NoRoom } from './effects/effect.ts';
import { effectOf } from './effects/index.ts';
import { replacedBy } from './effects/succession.ts';
import type { IngestParts } from './ingest.ts';
import { type ItemResult, itemResult } from './item.ts';
import { conflictOf, type Marked, markNonce } from './nonce.ts';
import { publicRecord } from './public-record.ts';
import type { Signed } from './signed.ts';

interface Recorded {
  readonly result: ItemResult;
  readonly dropped: readonly DropReason[];
}

/** Records one verified item and what follows from it: all of it, or nothing. */
export async function record(
  parts: IngestParts,
  item: Signed,
  payload: TypedPayload | undefined,
  shown?: Shown,
): Promise<ItemResult> {
  const { space, epochs, handling, keepsEveryBeacon } = parts;
  const effect = effectOf(item, payload, parts, shown);
  const isKept = handling.keeps(item);
  // Whether it is new shows in the transaction alone, before a part is asked.
  let isNew = true;
  const guests = parts.plugins?.recording(item.msgType, () => publicRecord(item, payload, () => isNew));
  try {
    const found = effect.reads();
    const reads = [...ownReads(item), ...(found instanceof Promise ? await found : found)];
    const { value, ids } = await space.txBeside(reads, guests?.beside ?? [], (tx: Tx, others): Recorded => {
      const replaced = replacedBy(tx.get(agents.ref(item.sender)), item.at, tx.now);
      if (replaced !== undefined) return { result: itemResult(item.id, 'invalid', replaced), dropped: NOTHING_DROPPED };
      const { verdict, first, isQuiet, isOvertaken } = keepsEveryBeacon
        ? { ...markNonce(tx, item, undefined), isQuiet: false, isOvertaken: false }
        : mark(tx, item, epochs, shown);
      if (verdict === 'duplicate') return { result: itemResult(item.id, 'duplicate'), dropped: NOTHING_DROPPED };
      if (verdict === 'conflict') return { result: conflictOf(item, first), dropped: NOTHING_DROPPED };
      if (isOvertaken) {
        effect.overtaken?.(tx);
        noteEvidence(tx, parts.evidence, item, payload);
        return { result: itemResult(item.id, 'accepted'), dropped: NOTHING_DROPPED };
      }
      seeAgent(tx, item.sender, item.at, epochs);
      const dropped = effect.apply(tx);
      isNew = verdict === 'new';
      guests?.apply(others);
      if (!isQuiet) noteEvidence(tx, parts.evidence, item, payload);
      if (isKept) handling.keep(tx, item);
      return { result: itemResult(item.id, 'accepted'), dropped };
    });
    guests?.over();
    const { result, dropped } = value;
    const handled = result.status === 'accepted' && isKept ? ids.at(-1) : undefined;
    if (result.status === 'accepted') parts.recorded({ msg_type: item.msgType });
    if (result.status === 'accepted' && payload) parts.handling.recorded(item, payload, handled);
    for (const reason of dropped) parts.dropped({ reason });
    return result;
  } catch (error) {
    if (error instanceof NoRoom) return itemResult(item.id, 'rate-limited', error.message);
    throw error;
  }
}

function ownReads(item: Signed): Ref<any>[] {
  const { nonceRef, sender } = item;
  const row = agents.ref(sender);
  return isAnnouncement(item) ? [nonceRef, row, heardOf.ref(sender)] : [nonceRef, row];
}

/** Notes the records that a score is made of: those of two agents about a deal, and what hosts show of others. Private content stays private. */
function noteEvidence(
  tx: Tx,
  evidence: EvidenceJournal | undefined,
  { msgType, envelope, bytes }: Signed,
  payload: TypedPayload | undefined,
): void {
  if (!evidence?.isOn) return;
  const { hosted = [], successions = [] } = payload?.msgType === 'BEACON' ? payload.value : {};
  if (!SCORED.has(msgType) && hosted.length + successions.length === 0) return;
  const shown = envelope && isPrivate(msgType) ? receiptBytesOf(envelope) : bytes;
  const form = envelope && !isPrivate(msgType) ? 'envelope' : 'receipt';
  evidence.note(tx, 'item', { form, bytes_b64: toBase64(shown) });
}

const SCORED: ReadonlySet<MessageName> = new Set<MessageName>([
  ...(['PROPOSE', 'COUNTER', 'ACCEPT', 'REJECT', 'DELIVER', 'DISPUTE', 'VERDICT'] as const),
  ...(['NOTARIZE_ASSIGN', 'FEEDBACK'] as const),
]);

interface MarkedItem extends Marked {
  /** It leaves nothing but its key's newest number. */
  readonly isQuiet: boolean;
  /** It is older than its key's newest, and shows others for the first time. */
  readonly isOvertaken: boolean;
}

/**
 * Marks the nonce of an item. A BEACON that says nothing new leaves no nonce: it becomes its key's newest, or is a duplicate
 * (docs/decisions/034).
 */
export function mark(tx: Tx, item: Signed, epochs: Epochs, { hosted, successions }: Shown = NOTHING_SHOWN): MarkedItem {
  const ref = heardOf.ref(item.sender);
  if (!isAnnouncement(item)) {
    // The row tells, so that messages read no more than before BEACONs had a document of their own.
    const isNewest = tx.get(agents.ref(item.sender))?.beacon?.nonce === item.nonce;
    return { ...markNonce(tx, item, isNewest ? tx.pull([ref])[0] : undefined), isQuiet: false, isOvertaken: false };
  }
  const heard = tx.get(ref);
  const old = isOld(item, heard, epochs);
  const shows = hosted.length + successions.length > 0;
  const isOvertaken = old && shows;
  const isQuiet = !shows && (old || !isNews(item, heard, epochs));
  const marked = markNonce(tx, item, heard, !isQuiet);
  const found = { ...marked, isQuiet, isOvertaken };
  if (marked.verdict === 'duplicate' || marked.verdict === 'conflict') return found;
  if (old && !shows && marked.verdict === 'new') return { ...found, verdict: 'duplicate' };
  if (!isOvertaken) tx.put(ref, heardWith(item, heard, epochs));
  return found;
}
