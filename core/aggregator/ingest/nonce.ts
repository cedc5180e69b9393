import type { Network } from '../../protocol/identity/network.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import { type HeldEnvelope, NONCE_EPOCHS, nonceRef, nonces, type StoredNonce } from '../store/nonces.ts';
import { receiptText, type Signed } from './signed.ts';

/** The state of a nonce: signed for the first time, by this envelope before, or by another one. */
export type NonceVerdict = 'new' | 'more' | 'duplicate' | 'conflict';

/**
 * The document of an envelope's nonce. Nonces of version 1 start again with every process, so there each envelope has
 * a document of its own and nothing conflicts.
 */
export function nonceRefOf(
  { id, sender, nonce }: Pick<Signed, 'id' | 'sender' | 'nonce'>,
  network: Network,
): Ref<StoredNonce> {
  return network.version === 2 ? nonceRef(sender, nonce) : nonces.ref(id);
}

/** Whether reporting this again adds nothing: it was seen whole, or this is only its receipt. */
export function holds({ held: [first] }: StoredNonce, item: Signed): boolean {
  return first?.envelope_id === item.id && (first.whole || !item.envelope);
}

/** Marks the nonce as used by this envelope; two different ones are kept, and no third. */
export function markNonce(
  tx: Tx,
  item: Signed,
  network: Network,
): { readonly verdict: NonceVerdict; readonly first: HeldEnvelope | undefined } {
  const ref = item.nonceRef;
  const before = tx.get(ref)?.held ?? [];
  const first = before[0];
  const same = before.find(({ envelope_id }) => envelope_id === item.id);
  if (same && (same.whole || !item.envelope)) return { verdict: verdictOf(same, first, 'duplicate'), first };
  const others = before.filter((each) => each !== same);
  if (others.length < 2) {
    const receipt = receiptText(item);
    const entry: HeldEnvelope = {
      envelope_id: item.id,
      whole: item.envelope !== undefined,
      at: item.at,
      ...(receipt !== undefined && { receipt_b64: receipt }),
    };
    const held = same ? before.map((each) => (each === same ? entry : each)) : [...before, entry];
    const ttl = NONCE_EPOCHS * network.epochSecs * 1000;
    tx.put(ref, { held }, { ttl });
  }
  if (same) return { verdict: verdictOf(same, first, 'more'), first };
  return { verdict: first ? 'conflict' : 'new', first };
}

/** The second envelope of a nonce never counts, however often it is reported. */
function verdictOf(same: HeldEnvelope, first: HeldEnvelope | undefined, otherwise: NonceVerdict): NonceVerdict {
  return same === first ? otherwise : 'conflict';
}
