import type { SchemaTypes } from '../../schemas/types.ts';
import { MAX_SEQ, nonceOf } from '../envelopes/epochs.ts';
import { MeshError } from '../errors.ts';

type NonceState = SchemaTypes['nonce-state'];

/**
 * The next nonce of a key: consecutive within an epoch, starting at 1. Never goes back to an epoch that was left,
 * because a closed epoch may already stand in a behavior batch.
 */
export function nextNonce(last: NonceState | undefined, epoch: number): { nonce: number; state: NonceState } {
  if (last && epoch < last.epoch) {
    throw new MeshError(
      'not_ready',
      `the clock says epoch ${epoch}, but envelopes of epoch ${last.epoch} were signed; set the clock`,
    );
  }
  const seq = last?.epoch === epoch ? last.seq + 1 : 1;
  if (seq > MAX_SEQ) throw new MeshError('rate_limited', `all ${MAX_SEQ} envelopes of epoch ${epoch} are used up`);
  return { nonce: nonceOf(epoch, seq), state: { epoch, seq } };
}
