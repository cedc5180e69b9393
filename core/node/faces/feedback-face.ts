import { MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger, Network, Settings } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseConversationId } from '../../protocol/identity/ids.ts';
import { Means } from '../deals/means.ts';
import { STEPS } from '../limits.ts';
import { Ratings } from '../ratings.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';

/** Rating the other side of a deal. */
export const feedbackFace = definePlugin({
  name: 'feedback',
  api: '2.0',
  summary: 'Rating the other side of a deal that has ended.',
  node: {
    uses: {
      space: NodeSpace,
      messages: Messaging,
      identity: Identity,
      network: Network,
      settings: Settings,
      ledger: optional(Ledger),
    },
    routes: {
      feedback: route('POST /feedback', {
        auth: 'api',
        summary: 'Rates the other side of a deal that has ended, or as its notary either side, for everybody to see.',
        body: 'feedback-request',
        reply: 'sent',
        idempotency: true,
        errors: ['invalid_transition', 'not_found', ...SIGNING_ERRORS],
        limit: STEPS,
      }),
    },
    setup({ space, messages, identity, network, settings, ledger }, { log }) {
      const means = new Means(ledger);
      const ratings = new Ratings({ space, identity, settings, log });
      return {
        routes: {
          async feedback({ body, operationId }) {
            const conversation_id = body.conversation_id.toLowerCase();
            if (!(await ratings.find(conversation_id)))
              throw new MeshError(
                'not_found',
                `This node is no party of a deal ${conversation_id}, and not its notary.`,
              );
            const value = await ratings.read({ ...body, conversation_id });
            const { purpose, publicPart } = await ratings.sending(value);
            const draft = {
              msgType: 'FEEDBACK',
              conversationId: parseConversationId(conversation_id)!,
              body: codecOf('FEEDBACK', network.version).encode(value, identity.key),
              publicPart,
            } as const;
            const sent = await means.within(messages.send(draft, purpose, operationId));
            return { ...sent, ...(await ratings.answer(value)) };
          },
        },
      };
    },
  },
});
