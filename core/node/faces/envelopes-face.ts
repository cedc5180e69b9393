import { parseMessageName } from '../../envelopes/message-types.ts';
import { MeshError } from '../../errors.ts';
import { formatConversationId } from '../../identity/ids.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, route } from '../../plugin.ts';
import { Clock, Contracts, Random } from '../../ports.ts';
import { Identity, Network } from '../../wiring/tokens.ts';
import { deals } from '../deals/deal-document.ts';
import { publicPartFor } from '../deals/public-part.ts';
import { purposeOf } from '../deals/purpose.ts';
import { conversationOfMessage, recipientOf } from '../requests/addresses.ts';
import { CallBudget } from '../requests/call-budget.ts';
import { feedbackView } from '../requests/feedback.ts';
import { PayloadReader } from '../requests/spoken-payload.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Partners } from '../services/partners.ts';
import { traceOf } from '../trace.ts';

/** Sending any envelope, and following it on its way. */
export const envelopesFace = definePlugin({
  name: 'envelopes',
  api: '1.0',
  node: {
    uses: {
      messages: Messaging,
      space: NodeSpace,
      identity: Identity,
      network: Network,
      random: Random,
      clock: Clock,
      partners: Partners,
      contracts: Contracts,
    },
    routes: {
      send: route('POST /envelopes/send', {
        auth: 'api',
        summary: 'Sends a signed envelope to one agent, or to everybody.',
        body: 'send-request',
        reply: 'sent',
        errors: ['invalid_transition', 'payload_too_large', 'rate_limited', ...SIGNING_ERRORS],
        idempotency: true,
        maxBody: 128 * 1024,
      }),
      trace: route('GET /envelopes/:envelope_id', {
        auth: 'api-read',
        summary: 'The way of an envelope, hop by hop.',
        params: { envelope_id: 'envelope-id' },
        reply: 'envelope-trace',
        errors: ['not_found'],
      }),
    },
    setup({ messages, space, identity, network, random, partners, clock, contracts }) {
      const budget = new CallBudget(clock);
      const payloads = new PayloadReader({
        contracts,
        version: network.version,
        key: identity.key,
        dealOf: async (conversation) => (await space.get(deals.ref(conversation)))?.deal,
      });
      return {
        routes: {
          async send({ body, operationId, ip, principal, ignored }) {
            const msgType = parseMessageName(body.msg_type);
            if (!msgType || msgType === 'BEACON') throw unknownType(body.msg_type);
            const payload = await payloads.read(msgType, body, ignored);
            const recipient = recipientOf(body.recipient, payload.typed);
            const conversationId = conversationOfMessage(body.conversation_id, payload.typed, random);
            const { sealed } = body;
            const conversation = formatConversationId(conversationId);
            budget.take({ ip, principal }, await space.get(deals.ref(conversation)));
            const publicPart = publicPartFor(payload.typed, conversation, identity.key);
            const said = { msgType, conversationId, body: payload.bytes, sealed, publicPart };
            const draft = { ...said, ...(recipient && { recipient }) };
            await partners.check(conversation, payload.typed);
            const purpose = purposeOf(payload.typed, conversation);
            const sent = await messages.send(draft, purpose, operationId);
            return payload.typed.msgType === 'FEEDBACK'
              ? { ...sent, feedback: feedbackView(payload.typed.value) }
              : sent;
          },
          async trace({ params }) {
            const trace = await traceOf(space, params.envelope_id);
            if (!trace)
              throw new MeshError('not_found', `This node has neither sent nor received ${params.envelope_id}.`);
            return trace;
          },
        },
      };
    },
  },
});

function unknownType(given: string): MeshError {
  const message = `is no message type an agent sends: ${given.slice(0, 32)}`;
  return new MeshError('invalid_request', {
    detail: `msg_type ${message}`,
    fields: [{ pointer: '/msg_type', message }],
  });
}
