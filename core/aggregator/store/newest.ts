import { epochOfNonce, seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import type { Space } from '../../storage/space.ts';
import { heard } from './heard.ts';
import { heldAs } from './held.ts';
import { NONCE_EPOCHS, newestHeld, receiptOf } from './nonces.ts';

/** The newest header and signature held of a key (in base58), as of an epoch. */
export async function newestOf(space: Space, key: string, epoch: number): Promise<Uint8Array | undefined> {
  const last = await space.get(heard.ref(key));
  const from = Math.max(0, epoch - NONCE_EPOCHS, last ? epochOfNonce(last.nonce) : 0);
  const held = await newestHeld(space, key, { from, to: epoch + 1 });
  if (!last || (held && held.nonce >= last.nonce)) return held && receiptOf(key, held);
  const { nonce, proof } = last;
  return receiptOf(key, { nonce, held: heldAs({ seq: seqOfNonce(nonce), whole: true, proof }) });
}
