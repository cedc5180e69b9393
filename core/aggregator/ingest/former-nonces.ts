import { fromBase64 } from '../../platform/bytes.ts';
import { seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import { decodeReceipt } from '../../protocol/envelopes/receipt.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { type Held, heldAs, isSameEnvelope, isWhole, proofIn, proofOf, seqOf } from '../store/held.ts';
import { envelopeRef, noncesRef, type StoredNonces } from '../store/nonces.ts';
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

/** The receipt of the newest nonce of a key that has not been moved yet, while a move goes on. */
export async function newestFormer(space: Space, key: string): Promise<Uint8Array | undefined> {
  const [last] = await space.page(formerNonces, { idPrefix: `${key}/`, reverse: true, limit: 1 });
  const receipt = last?.value.held.at(-1)?.receipt_b64;
  return receipt === undefined ? undefined : fromBase64(receipt);
}

/**
 * Moves nonces of earlier builds to where they lie now, and gives their number. A page moves in one transaction, so a start
 * that was interrupted goes on where it was, and several processes may do it at once.
 */
export async function moveFormerNonces(space: Space, epochs: Epochs, signal?: AbortSignal): Promise<number> {
  for (let moved = 0; ; ) {
    const rows = await space.page(formerNonces, { limit: PAGE });
    if (rows.length === 0 || signal?.aborted) return moved;
    const moves = rows.map(({ id, value }) => ({ from: formerNonces.ref(id), ...movedOf(id, value, epochs) }));
    const { value } = await space.tx(
      moves.flatMap(({ from, ref }) => [from, ref]),
      (tx) => {
        // Those that another process has moved meanwhile may have been added to since.
        const left = moves.filter(({ from }) => tx.get(from) !== undefined);
        for (const { from, ref, held } of left) {
          if (held.length > 0) tx.put(ref, withFormer(tx.get(ref), held));
          tx.del(from);
        }
        return left.length;
      },
    );
    moved += value;
  }
}

/** Former envelopes come first, and two of one number are kept. One whose payload has been seen is whole wherever it lies. */
function withFormer(stored: StoredNonces | undefined, former: readonly Held[]): StoredNonces {
  const seq = seqOf(former[0]!);
  const present = stored?.held.filter((one) => seqOf(one) === seq) ?? [];
  const first = former.map((one) => present.find((other) => isWhole(other) && isSame(other, one)) ?? one);
  const others = present.filter((one) => !former.some((other) => isSame(other, one)));
  return withHeld(stored, [...first, ...others].slice(0, 2));
}

function isSame(one: Held, other: Held): boolean {
  return isSameEnvelope(one, proofIn(other));
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
