import { setImmediate as aTurn } from 'node:timers/promises';
import { toBase64 } from '../../platform/bytes.ts';
import { seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import { envelopeId } from '../../protocol/envelopes/header.ts';
import { proofBytesOf } from '../../protocol/envelopes/receipt.ts';
import { formatEnvelopeId, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Space } from '../../storage/space.ts';
import { headerOf } from '../store/held.ts';
import { heldOf } from '../store/nonces.ts';

/** Ids that are hashed before others go on. */
const AT_ONCE = 64;

/** The receipts held of what a key signed in an epoch, of at most `limit` numbers behind `after`. */
export async function envelopesOf(
  space: Space,
  key: string,
  part: { readonly epoch: number; readonly after: number; readonly limit: number },
) {
  const sender = parseAgentId(key)!;
  const found = await heldOf(space, key, part);
  const told: { seq: number; leaf_hash: string; bytes_b64: string }[] = [];
  for (const [at, { nonce, held }] of found.entries()) {
    const header = headerOf(held, { sender, nonce });
    if (!header) continue;
    const leaf_hash = formatEnvelopeId(envelopeId(header));
    told.push({ seq: seqOfNonce(nonce), leaf_hash, bytes_b64: toBase64(proofBytesOf(header)) });
    if (at % AT_ONCE === AT_ONCE - 1) await aTurn();
  }
  return told;
}
