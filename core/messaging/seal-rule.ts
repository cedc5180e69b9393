import { invalidField } from '../contracts/errors.ts';
import type { Random } from '../platform/clock.ts';
import { MAX_ENVELOPE } from '../protocol/envelopes/envelope.ts';
import { isPrivate } from '../protocol/envelopes/message-types.ts';
import { SEAL_OVERHEAD, seal, sealingKeyOf } from '../protocol/envelopes/sealing.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { Draft } from './outgoing.ts';

/**
 * Whether a message is sealed: as its sender says, and open where it says nothing. The only place that decides, before
 * the envelope is signed, because what is signed is not changed any more. A message that is to wait in an aggregator's
 * pending queue is sealed where its sender says nothing: `Outgoing` says so here.
 */
export function isSealed({ sealed = false }: Pick<Draft, 'sealed'>): boolean {
  return sealed;
}

/** Around the largest body that fits into an envelope. */
const LARGEST = MAX_ENVELOPE - SEAL_OVERHEAD - 1_024;

/** Whether this message can be sealed at all. */
export function canBeSealed({ msgType, recipient, body }: Draft, network: Network): boolean {
  if (network.version === 1 || !isPrivate(msgType) || body.length > LARGEST) return false;
  return recipient !== undefined && sealingKeyOf(recipient) !== undefined;
}

/** Refuses to seal what everybody is to read, what this network cannot carry, or what its recipient could not open. */
export function checkSeal(draft: Pick<Draft, 'msgType' | 'recipient' | 'sealed'>, network: Network): void {
  if (!isSealed(draft)) return;
  if (network.version === 1) throw invalidField('/sealed', 'is not possible on this network: its envelopes are open');
  if (!isPrivate(draft.msgType)) throw invalidField('/sealed', `is not possible: a ${draft.msgType} is public`);
  if (!draft.recipient || !sealingKeyOf(draft.recipient)) {
    throw invalidField('/recipient', 'is not a key that anything can be sealed to');
  }
}

/** The body as the envelope carries it. */
export function bodyToSign(draft: Draft, sender: Uint8Array, random: Random): Uint8Array {
  if (!isSealed(draft)) return draft.body;
  const { recipient, conversationId, body } = draft;
  return seal(body, { sender, recipient: recipient!, conversationId }, random);
}
