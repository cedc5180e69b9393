import type { SchemaTypes } from '../../schemas/types.ts';
import { MeshError } from '../contracts/errors.ts';
import { MAX_SEQ, nonceOf } from '../protocol/envelopes/epochs.ts';

/**
 * How far a key's epochs have come, in one document, so that giving out a nonce reads nothing else: the last nonce, up
 * to which epoch nothing is signed any more, up to which one batches were submitted, and the tainted epochs.
 */
export type NonceState = SchemaTypes['nonce-state'];
export type Taint = NonNullable<NonceState['tainted']>[number];

/** Epochs of which the journal still knows every envelope: as long as a batch can be challenged, and some more. */
export const KEPT_EPOCHS = 10;
/** A longer silence is remembered, so that its epochs still count as known when they are older than KEPT_EPOCHS. */
const LONG_SILENCE = 5;

/**
 * The next nonce of a key: consecutive within an epoch, starting at 1, in a tainted epoch above what others may have
 * used. Never goes back to an epoch that was left or closed, because it may already stand in a behavior batch.
 */
export function nextNonce(last: NonceState | undefined, epoch: number): { nonce: number; state: NonceState } {
  const taint = taintOf(last, epoch);
  if (taint?.stopped) throw new MeshError('identity_in_use', `${taint.why}; nothing is signed in epoch ${epoch}`);
  const left = Math.max(last?.epoch ?? 0, (last?.closed ?? -1) + 1);
  if (epoch < left) {
    throw new MeshError(
      'not_ready',
      `the clock says epoch ${epoch}, but the epochs before ${left} are over for this key; set the clock`,
    );
  }
  const seq = Math.max(last?.epoch === epoch ? last.seq : 0, taint?.above ?? 0) + 1;
  if (seq > MAX_SEQ) throw new MeshError('rate_limited', `all ${MAX_SEQ} envelopes of epoch ${epoch} are used up`);
  const silent = last && epoch - last.epoch - 1 > LONG_SILENCE && isSilent(last, epoch);
  const silence = silent && { silent: { from: last.epoch + 1, to: epoch - 1 } };
  return { nonce: nonceOf(epoch, seq), state: { ...last, epoch, seq, ...silence } };
}

/**
 * Whether the key is known to have signed nothing in an epoch, however old. A taint after the last nonce
 * takes that knowledge away: the store was put back, or somebody else signed.
 */
export function isSilent(state: NonceState, epoch: number): boolean {
  const { silent, tainted = [] } = state;
  if (state.seq > 0 && epoch > state.epoch) return tainted.every((taint) => taint.epoch <= state.epoch);
  return silent !== undefined && epoch >= silent.from && epoch <= silent.to;
}

export function taintOf(state: NonceState | undefined, epoch: number): Taint | undefined {
  return state?.tainted?.find((taint) => taint.epoch === epoch);
}
