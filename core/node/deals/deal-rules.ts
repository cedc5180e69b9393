import { advance, attempt } from '../../deals/advance.ts';
import type { Deal } from '../../deals/deal.ts';
import type { MessageEvent, ProposeEvent } from '../../deals/events.ts';
import { openDeal } from '../../deals/open.ts';
import type { Refusal } from '../../deals/step.ts';
import type { AckReason } from '../../ack.ts';
import type { TypedPayload } from '../../envelopes/payloads/payloads.ts';
import { MeshError } from '../../errors.ts';
import { formatAgentId } from '../../identity/ids.ts';
import type { Inbound, Participant } from '../../messaging/incoming.ts';
import type { Purpose } from '../../messaging/outgoing.ts';
import type { Tx } from '../../storage/transaction.ts';
import { type DealDocument, deals, withDeal } from './deal-document.ts';
import { DEAL_MESSAGES, messageEvent, proposeEvent, type Signed } from './deal-events.ts';

/**
 * A deal message of our own: the deal moves in the transaction that signs the envelope, or nothing is signed.
 * Throws `invalid_transition` with what would be allowed.
 */
export function dealPurpose(conversation: string, payload: TypedPayload): Purpose {
  const ref = deals.ref(conversation);
  return {
    reads: [ref],
    apply(tx, envelope, id) {
      const signed = { id, by: formatAgentId(envelope.sender), at: envelope.timestamp / 1_000 };
      const before = tx.get(ref);
      if (payload.msgType === 'PROPOSE') {
        const event = proposeEvent(signed, conversation, formatAgentId(envelope.recipient), payload.value);
        return tx.put(
          ref,
          before ? refuse(attemptAgain(before.deal, event)) : opened(event, payload.value.message, tx.now),
        );
      }
      const event = messageEvent(signed, payload);
      if (!before || !event) throw new MeshError('not_found', `there is no deal ${conversation}`);
      const step = attempt(before.deal, event);
      if (!step.ok) refuse(step);
      else tx.put(ref, withDeal(before, step.deal, tx.now));
    },
  };
}

/** A deal message of the other side. What its deal does not allow is refused; what crossed a better one is taken and changes nothing. */
const dealParticipant: Participant = {
  reads: (message) => [deals.ref(message.conversationId)],
  apply(tx, message) {
    const ref = deals.ref(message.conversationId);
    const before = tx.get(ref);
    const signed = signedOf(message);
    if (message.payload.msgType === 'PROPOSE' && !before) return open(tx, message, signed);
    if (!before) return 'invalid';
    const event = eventOf(signed, message);
    if (!event) return 'invalid';
    const step = advance(before.deal, event);
    if (!step.ok) return laterOrNever(step);
    tx.put(ref, withDeal(before, step.deal, tx.now));
    return 'accepted';
  },
};

/** Every deal message has its deal decide. */
export const dealParticipants = Object.fromEntries(DEAL_MESSAGES.map((name) => [name, dealParticipant]));

function open(tx: Tx, message: Inbound, signed: Signed): AckReason {
  if (message.payload.msgType !== 'PROPOSE') return 'invalid';
  const to = formatAgentId(message.envelope.recipient);
  const step = openDeal(proposeEvent(signed, message.conversationId, to, message.payload.value));
  if (!step.ok) return 'invalid';
  tx.put(deals.ref(message.conversationId), document(step.deal, message.payload.value.message, tx.now));
  return 'accepted';
}

/** The sender tries again when the message speaks of one that has not arrived yet. */
function laterOrNever(refusal: Refusal): AckReason {
  return refusal.premature ? 'rate-limited' : 'invalid';
}

function eventOf(
  signed: Signed,
  { payload, conversationId, envelope }: Inbound,
): MessageEvent | ProposeEvent | undefined {
  if (payload.msgType !== 'PROPOSE') return messageEvent(signed, payload);
  return proposeEvent(signed, conversationId, formatAgentId(envelope.recipient), payload.value);
}

function signedOf({ id, sender, envelope }: Inbound): Signed {
  return { id, by: sender, at: Math.floor(envelope.timestamp / 1_000) };
}

function opened(event: ProposeEvent, message: string, now: number): DealDocument {
  const step = openDeal(event);
  return step.ok ? document(step.deal, message, now) : refuse(step);
}

/** A second PROPOSE in a conversation is never allowed; the rules say why. */
function attemptAgain(deal: Deal, event: ProposeEvent): Refusal {
  const step = advance(deal, event);
  if (!step.ok) return step;
  return {
    ok: false,
    code: 'invalid_transition',
    detail: 'this conversation has a deal',
    allowed: [],
    premature: false,
  };
}

function document(deal: Deal, message: string, now: number): DealDocument {
  return { deal, message, rated: false, payment: null, updated_at: now };
}

function refuse({ code, detail, allowed }: Refusal): never {
  throw new MeshError(code, { detail, extra: { allowed_actions: allowed } });
}
