import { fromBase64 } from '../../platform/bytes.ts';
import { seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import { decodeReceipt } from '../../protocol/envelopes/receipt.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { heldAs, proofOf } from '../store/held.ts';
import { envelopeRef, noncesRef } from '../store/nonces.ts';
import { withHeld } from './nonce.ts';

/** A nonce as it was stored until 25 November 2026: a document of its own, with an entry for its expiry. */
interface FormerNonce {
  readonly held: readonly {
    readonly envelope_id: string;
    readonly whole: boolean;
    readonly at: number;
    readonly receipt_b64?: string;
  }[];
}

const formerNonces = collection<FormerNonce>('nonces', { schema: () => [] });
const PAGE = 200;

/**
 * Moves nonces of earlier builds to where they lie now, and gives their number. A page moves in one transaction, so a start
 * that was interrupted goes on where it was.
 */
export async function moveFormerNonces(space: Space, epochs: Epochs): Promise<number> {
  for (let moved = 0; ; ) {
    const rows = await space.page(formerNonces, { limit: PAGE });
    if (rows.length === 0) return moved;
    await space.tx([], (tx) => {
      for (const { id, value } of rows) {
        const { ref, held } = movedOf(id, value, epochs);
        if (held.length > 0) tx.put(ref, withHeld(tx.pull([ref])[0], held));
        tx.del(formerNonces.ref(id));
      }
    });
    moved += rows.length;
  }
}

function movedOf(id: string, { held }: FormerNonce, epochs: Epochs) {
  const [key, digits] = id.split('/');
  if (digits === undefined) {
    const own = held.map(({ envelope_id, whole }) => heldAs({ seq: 0, whole, proof: `#${envelope_id}` }));
    return { ref: envelopeRef(epochs.at(held[0]?.at ?? 0), id), held: own };
  }
  const nonce = Number(digits);
  const own = held.flatMap(({ envelope_id, whole, receipt_b64 }) => {
    const bytes = receipt_b64 === undefined ? undefined : fromBase64(receipt_b64);
    const receipt = bytes && decodeReceipt(bytes);
    if (!receipt?.ok) return [];
    return heldAs({ seq: seqOfNonce(nonce), whole, proof: proofOf(receipt.value, envelope_id) });
  });
  return { ref: noncesRef(key!, nonce), held: own };
}
