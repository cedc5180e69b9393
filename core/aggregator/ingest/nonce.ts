import { toBase64 } from '../../platform/bytes.ts';
import { epochOf, seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { StoredHeard } from '../store/heard.ts';
import { type Held, heldAs, heldUnder, isSameEnvelope, isWhole, proofOf, seqOf } from '../store/held.ts';
import { envelopeRef, noncesRef, receiptOf, type StoredNonces } from '../store/nonces.ts';
import { type ItemResult, itemResult } from './item.ts';
import type { Signed } from './signed.ts';

/** The state of a nonce: signed for the first time, by this envelope before, or by another one. */
export type NonceVerdict = 'new' | 'more' | 'duplicate' | 'conflict';

/** The document of an envelope's nonce. On networks of version 1 each envelope has one of its own and nothing conflicts. */
export function nonceRefOf(
  { id, sender, nonce, header }: Pick<Signed, 'id' | 'sender' | 'nonce' | 'header'>,
  network: Network,
): Ref<StoredNonces> {
  if (network.version === 2) return noncesRef(sender, nonce);
  return envelopeRef(epochOf(header.timestamp, network.epochSecs), id);
}

/** Whether an envelope is held under the nonce of this one. */
export function hasHeld(item: Signed, stored: StoredNonces | undefined, heard: StoredHeard | undefined): boolean {
  return heldFor(item, stored, heard).length > 0;
}

/** The answer to what adds nothing when it is reported again: it was seen whole, or this is only its receipt. */
export function heldAnswer(
  item: Signed,
  stored: StoredNonces | undefined,
  heard: StoredHeard | undefined,
): ItemResult | undefined {
  const all = heldFor(item, stored, heard);
  const proof = all.length > 0 ? proofOf(item.header, item.id, item.encoded) : '';
  const same = all.find((held) => isSameEnvelope(held, proof));
  if (same === undefined || (item.envelope && !isWhole(same))) return undefined;
  return same === all[0] ? itemResult(item.id, 'duplicate') : conflictOf(item, all[0]);
}

/** The answer to another envelope than the one that was held first under its nonce, with the proof of that one. */
export function conflictOf(item: Signed, first: Held | undefined): ItemResult {
  const result = itemResult(item.id, 'conflict', 'its key signed another envelope under this nonce');
  const held = first !== undefined && receiptOf(item.sender, { nonce: item.nonce, held: first });
  return { ...result, ...(held && { held_b64: toBase64(held) }) };
}

/** The verdict on an envelope, and what was held first under its nonce. */
export interface Marked {
  readonly verdict: NonceVerdict;
  readonly first: Held | undefined;
}

/**
 * Marks the nonce as used by this envelope; two different ones are kept, and no third. A first one that `leaves` nothing is
 * only judged.
 */
export function markNonce(tx: Tx, item: Signed, heard: StoredHeard | undefined, leaves = true): Marked {
  const stored = tx.get(item.nonceRef);
  const proof = proofOf(item.header, item.id, item.encoded);
  const before = heldFor(item, stored, heard);
  const first = before[0];
  const same = before.find((held) => isSameEnvelope(held, proof));
  if (same !== undefined && (isWhole(same) || !item.envelope))
    return { verdict: verdictOf(same, first, 'duplicate'), first };
  if (before.length - (same === undefined ? 0 : 1) < 2 && (leaves || first !== undefined)) {
    const fresh = heldAs({ seq: seqOfItem(item), whole: item.envelope !== undefined, proof });
    const own = same === undefined ? [...before, fresh] : before.map((held) => (held === same ? fresh : held));
    tx.put(item.nonceRef, withHeld(stored, own));
  }
  if (same !== undefined) return { verdict: verdictOf(same, first, 'more'), first };
  return { verdict: first === undefined ? 'new' : 'conflict', first };
}

/** A document with what is held under one number in the place of what was, in the order of the numbers. */
export function withHeld(stored: StoredNonces | undefined, own: readonly Held[]): StoredNonces {
  if (!stored) return { held: own as StoredNonces['held'] };
  const seq = seqOf(own[0]!);
  // Nearly always the number is the next one.
  if (seqOf(stored.held.at(-1)!) < seq) return { held: [...stored.held, ...own] as StoredNonces['held'] };
  const others = stored.held.filter((held) => seqOf(held) !== seq);
  const place = others.filter((held) => seqOf(held) < seq).length;
  return { held: others.toSpliced(place, 0, ...own) as StoredNonces['held'] };
}

/** The envelopes that are held under this one's nonce; a BEACON that said nothing new is held while it is its key's newest. */
function heldFor(item: Signed, stored: StoredNonces | undefined, heard: StoredHeard | undefined): readonly Held[] {
  const seq = seqOfItem(item);
  const own = stored ? heldUnder(stored.held, seq) : [];
  if (own.length > 0 || heard?.nonce !== item.nonce) return own;
  return [heldAs({ seq, whole: true, proof: heard.proof })];
}

function seqOfItem({ header, nonce }: Signed): number {
  return header.version === 2 ? seqOfNonce(nonce) : 0;
}

/** The second envelope of a nonce never counts, however often it is reported. */
function verdictOf(same: Held, first: Held | undefined, otherwise: NonceVerdict): NonceVerdict {
  return same === first ? otherwise : 'conflict';
}
