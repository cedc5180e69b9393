import { codecOf } from '../../envelopes/payloads/codecs.ts';
import type { FeedbackPayload } from '../../envelopes/payloads/payloads.ts';
import { formatAgentId, parseConversationId } from '../../identity/ids.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Ledger } from '../../ports.ts';
import { Identity, Network } from '../../wiring/tokens.ts';
import { feedbackPurpose } from '../deals/feedback-purpose.ts';
import { Means } from '../deals/means.ts';
import { publicPartFor } from '../deals/public-part.ts';
import { agentOf } from '../requests/addresses.ts';
import { Deals } from '../services/deals.ts';
import { Messaging } from '../services/messaging.ts';

const OUTCOMES = { negative: 0, neutral: 1, positive: 2 } as const;

/** Rating the other side of a deal. */
export const feedbackFace = definePlugin({
  name: 'feedback',
  api: '1.0',
  summary: 'Rating the other side of a deal that has ended.',
  node: {
    uses: { deals: Deals, messages: Messaging, identity: Identity, network: Network, ledger: optional(Ledger) },
    routes: {
      feedback: route('POST /feedback', {
        auth: 'api',
        summary: 'Rates the other side of a deal that has ended, for everybody to see.',
        body: 'feedback-request',
        reply: 'sent',
        idempotency: true,
        errors: ['invalid_transition', 'not_found', ...SIGNING_ERRORS],
        limit: { per: 'principal', rate: 600, window: 60 },
      }),
    },
    setup({ deals, messages, identity, network, ledger }) {
      const means = new Means(ledger);
      return {
        routes: {
          async feedback({ body, operationId }) {
            const { deal } = await deals.get(body.conversation_id);
            const other = identity.address === deal.requester ? deal.provider : deal.requester;
            const target = body.target_agent ? formatAgentId(agentOf(body.target_agent, '/target_agent')) : other;
            const value: FeedbackPayload = {
              conversation_id: deal.conversation,
              target_agent: target,
              score: body.score,
              outcome: OUTCOMES[body.outcome ?? outcomeOf(body.score)],
              is_dispute: false,
              role: body.role === 'notary' ? 1 : 0,
            };
            const draft = {
              msgType: 'FEEDBACK',
              conversationId: parseConversationId(deal.conversation)!,
              body: codecOf('FEEDBACK', network.version).encode(value, identity.key),
              publicPart: publicPartFor({ msgType: 'FEEDBACK', value }, deal.conversation, identity.key),
            } as const;
            return means.within(messages.send(draft, feedbackPurpose(value), operationId));
          },
        },
      };
    },
  },
});

function outcomeOf(score: number): keyof typeof OUTCOMES {
  if (score === 0) return 'neutral';
  return score > 0 ? 'positive' : 'negative';
}
