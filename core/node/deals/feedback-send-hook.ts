import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { SendHook } from '../../messaging/outgoing.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import type { FeedbackPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { deals, openActions } from './deal-document.ts';

/**
 * A rating of ours: of somebody in a deal that has ended, once, remembered together with sending it. A deal this node
 * does not know is none of its business; the aggregators judge what such a rating counts.
 */
export function feedbackSendHook({ conversation_id, target_agent }: FeedbackPayload): SendHook {
  const ref = deals.ref(conversation_id);
  return {
    reads: [ref],
    apply(tx, envelope) {
      const document = tx.get(ref);
      if (!document) return;
      const { deal, rated } = document;
      const self = formatAgentId(envelope.sender);
      const actions = openActions(document, self, tx.now);
      if (!actions.includes('feedback')) {
        const detail = rated
          ? 'You have rated this deal; a rating counts once.'
          : `This deal is ${deal.state}; it can be rated once it has ended.`;
        throw new MeshError('invalid_transition', { detail, extra: { allowed_actions: actions } });
      }
      const others = [deal.requester, deal.provider, lastOffer(deal).notary].filter((key) => key !== self);
      if (!others.includes(target_agent)) throw stranger();
      tx.put(ref, { ...document, rated: true, updated_at: tx.now });
    },
  };
}

function stranger(): MeshError {
  return invalidField('/target_agent', 'is nobody else in this deal');
}
