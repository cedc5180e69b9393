import { Identity, Ledger, Network } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseConversationId } from '../../protocol/identity/ids.ts';
import { feedbackPurpose } from '../deals/feedback-purpose.ts';
import { Means } from '../deals/means.ts';
import { publicPartFor } from '../deals/public-part.ts';
import { STEPS } from '../limits.ts';
import { feedbackOf, feedbackView } from '../requests/feedback.ts';
import { DealBook } from '../services/deal-book.ts';
import { Messaging } from '../services/messaging.ts';

/** Rating the other side of a deal. */
export const feedbackFace = definePlugin({
  name: 'feedback',
  api: '2.0',
  summary: 'Rating the other side of a deal that has ended.',
  node: {
    uses: { deals: DealBook, messages: Messaging, identity: Identity, network: Network, ledger: optional(Ledger) },
    routes: {
      feedback: route('POST /feedback', {
        auth: 'api',
        summary: 'Rates the other side of a deal that has ended, for everybody to see.',
        body: 'feedback-request',
        reply: 'sent',
        idempotency: true,
        errors: ['invalid_transition', 'not_found', ...SIGNING_ERRORS],
        limit: STEPS,
      }),
    },
    setup({ deals, messages, identity, network, ledger }) {
      const means = new Means(ledger);
      return {
        routes: {
          async feedback({ body, operationId }) {
            const { deal } = await deals.get(body.conversation_id);
            const value = feedbackOf(body, deal, identity.address);
            const draft = {
              msgType: 'FEEDBACK',
              conversationId: parseConversationId(deal.conversation)!,
              body: codecOf('FEEDBACK', network.version).encode(value, identity.key),
              publicPart: publicPartFor({ msgType: 'FEEDBACK', value }, deal.conversation, identity.key),
            } as const;
            const sent = await means.within(messages.send(draft, feedbackPurpose(value), operationId));
            return { ...sent, feedback: feedbackView(value) };
          },
        },
      };
    },
  },
});
