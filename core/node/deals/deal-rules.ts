import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { ReceiveHook } from '../../messaging/incoming.ts';
import type { SendHook } from '../../messaging/outgoing.ts';
import { toHex } from '../../platform/bytes.ts';
import { allowedActions } from '../../protocol/deals/actions.ts';
import { advance, attempt } from '../../protocol/deals/advance.ts';
import { type Deal, isParty } from '../../protocol/deals/deal.ts';
import { openDeal } from '../../protocol/deals/open.ts';
import type { Refusal, Step } from '../../protocol/deals/step.ts';
import type { AckReason } from '../../protocol/envelopes/ack.ts';
import { type Envelope, publicPartOf } from '../../protocol/envelopes/envelope.ts';
import type { ProposePayload, TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { deals, newDeal, withDeal } from './deal-document.ts';
import { DEAL_MESSAGES, type DealMessage, messageEvent, proposeEvent, type Signed } from './deal-events.ts';

/**
 * A deal message of our own: the deal moves in the transaction that signs the envelope, or nothing is signed.
 * Throws `invalid_transition` with what would be allowed. A first offer keeps the asset by which its provider was `named`.
 */
export function dealSendHook(conversation: string, payload: TypedPayload, named?: string): SendHook {
  const ref = deals.ref(conversation);
  return {
    reads: [ref],
    apply(tx, envelope, id) {
      const signed = signedOf(envelope, id);
      const before = tx.get(ref);
      if (payload.msgType === 'PROPOSE') {
        if (before) throw secondProposal(before.deal, signed);
        const step = opening(envelope, signed, conversation, payload.value);
        if (!step.ok) throw refusalOf(step);
        return tx.put(
          ref,
          newDeal(step.deal, payload.value.message, tx.now, { ...(named !== undefined && { named }) }),
        );
      }
      const event = before && messageEvent(signed, payload, before.deal);
      if (!before || !event) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
      if (!isParty(before.deal, formatAgentId(envelope.recipient))) throw stranger();
      const step = attempt(before.deal, event);
      if (!step.ok) throw refusalOf(step);
      tx.put(ref, withDeal(before, step.deal, tx.now));
    },
  };
}

/**
 * A deal message of the other side. The deal's rules refuse one that they do not allow; one that crossed a message that
 * wins over it is accepted and changes nothing.
 */
const dealReceiveHook: ReceiveHook = {
  reads: (message) => [deals.ref(message.conversationId)],
  apply(tx, { id, envelope, conversationId, payload, stranger }) {
    const ref = deals.ref(conversationId);
    const before = tx.get(ref);
    const signed = signedOf(envelope, id);
    if (payload.msgType === 'PROPOSE' && !before) {
      const step = opening(envelope, signed, conversationId, payload.value);
      if (step.ok)
        tx.put(ref, newDeal(step.deal, payload.value.message, tx.now, { ...(stranger !== undefined && { stranger }) }));
      return step.ok ? 'accepted' : 'invalid';
    }
    if (!before) return 'invalid';
    const event =
      payload.msgType === 'PROPOSE'
        ? proposeEvent(signed, conversationId, formatAgentId(envelope.recipient), payload.value)
        : messageEvent(signed, payload, before.deal);
    if (!event) return 'invalid';
    const step = advance(before.deal, event);
    if (!step.ok) return laterOrNever(step);
    tx.put(ref, withDeal(before, step.deal, tx.now));
    return 'accepted';
  },
};

/** Every deal message has its deal decide. */
export const dealReceiveHooks = Object.fromEntries(DEAL_MESSAGES.map((name) => [name, dealReceiveHook])) as Readonly<
  Record<DealMessage, ReceiveHook>
>;

function opening(envelope: Envelope, signed: Signed, conversation: string, payload: ProposePayload): Step {
  return openDeal(proposeEvent(signed, conversation, formatAgentId(envelope.recipient), payload));
}

/** The sender tries again when the message speaks of one that has not arrived yet. */
function laterOrNever(refusal: Refusal): AckReason {
  return refusal.premature ? 'rate-limited' : 'invalid';
}

function signedOf(envelope: Envelope, id: string): Signed {
  const part = publicPartOf(envelope);
  return {
    ...{ id, by: formatAgentId(envelope.sender), at: Math.floor(envelope.timestamp / 1_000) },
    ...(part && { payer: formatAgentId(part.payer), ...(part.answers && { answers: toHex(part.answers) }) }),
  };
}

function refusalOf({ code, detail, allowed }: Pick<Refusal, 'code' | 'detail' | 'allowed'>): MeshError {
  return new MeshError(code, { detail, extra: { allowed_actions: allowed } });
}

function secondProposal(deal: Deal, { by, at }: Signed): MeshError {
  const allowed = allowedActions(deal, by, at);
  return refusalOf({ code: 'invalid_transition', detail: 'this conversation has a deal', allowed });
}

function stranger(): MeshError {
  return invalidField('/recipient', 'is not the other side of this deal');
}
