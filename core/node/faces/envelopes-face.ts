import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger, Network, Settings } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { isSpoken, MESSAGE_TYPES, type MessageName, parseMessageName } from '../../protocol/envelopes/message-types.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { MAX_INLINE } from '../../protocol/envelopes/payloads/deliver.ts';
import { formatAgentId, formatConversationId } from '../../protocol/identity/ids.ts';
import type { EnvelopeVersion } from '../../protocol/identity/network.ts';
import { Clock, Contracts, Random } from '../../services.ts';
import { deals } from '../deals/deal-document.ts';
import { Means } from '../deals/means.ts';
import { publicPartFor } from '../deals/public-part.ts';
import { sendHookOf } from '../deals/send-hook.ts';
import { Kept } from '../deliveries/providers.ts';
import { ANSWERS, READS, STEPS } from '../limits.ts';
import { Verdicts } from '../notary/verdicts.ts';
import { Ratings } from '../ratings.ts';
import { agentOf, conversationOf, conversationOfMessage, recipientOf } from '../requests/addresses.ts';
import { CallBudget } from '../requests/call-budget.ts';
import { contentOf, inline, MOST_DELIVERED, requireDelivery } from '../requests/delivery.ts';
import { checkTopic } from '../requests/payloads.ts';
import { PayloadReader } from '../requests/spoken-payload.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Partners } from '../services/partners.ts';
import { traceOf } from '../trace.ts';

/** Sending any envelope, and following it on its way. */
export const envelopesFace = definePlugin({
  name: 'envelopes',
  api: '2.0',
  summary: 'Sending any envelope, and what became of it.',
  node: {
    uses: {
      messages: Messaging,
      space: NodeSpace,
      identity: Identity,
      network: Network,
      random: Random,
      clock: Clock,
      partners: Partners,
      kept: Kept,
      contracts: Contracts,
      settings: Settings,
      ledger: optional(Ledger),
    },
    routes: {
      send: route('POST /envelopes/send', {
        auth: 'api',
        limit: ANSWERS,
        summary: 'Sends a signed envelope to one agent, or to everybody.',
        body: 'send-request',
        reply: 'sent',
        errors: ['invalid_transition', 'payload_too_large', 'rate_limited', ...SIGNING_ERRORS],
        idempotency: true,
        maxBody: MOST_DELIVERED,
      }),
      message: route('POST /message', {
        auth: 'api',
        summary: 'Sends a plain text to one agent; no deal is needed.',
        body: 'message-request',
        reply: 'sent',
        errors: ['rate_limited', ...SIGNING_ERRORS],
        idempotency: true,
        limit: STEPS,
      }),
      trace: route('GET /envelopes/:envelope_id', {
        auth: 'api-read',
        limit: READS,
        summary: 'The way of an envelope, hop by hop.',
        params: { envelope_id: 'envelope-id' },
        reply: 'envelope-trace',
        errors: ['not_found'],
      }),
    },
    setup({ messages, space, identity, network, random, partners, clock, contracts, settings, ledger, kept }, { log }) {
      const ratings = new Ratings({ space, identity, settings, log });
      const verdicts = new Verdicts({ space, messages, identity, network, settlement: ledger?.settlement, log });
      const means = new Means(ledger);
      const budget = new CallBudget(clock);
      const payloads = new PayloadReader({
        contracts,
        random,
        version: network.version,
        key: identity.key,
        dealOf: async (conversation) => (await space.get(deals.ref(conversation)))?.deal,
        ratingOf: (request) => ratings.read(request),
        content: (bytes, request, conversation) => means.within(placed(bytes, request, conversation)),
      });

      /** The content of a DELIVER, or the place where its recipient gets it when no envelope can carry it. */
      async function placed(bytes: Uint8Array, request: SchemaTypes['send-request'], conversation: string) {
        if (bytes.length <= MAX_INLINE) return inline(bytes);
        const document = await space.get(deals.ref(conversation.toLowerCase()));
        if (!document) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
        if (request.recipient == null) throw invalidField('/recipient', 'is needed: a DELIVER goes to one agent');
        const recipient = agentOf(request.recipient, '/recipient');
        const require = () => requireDelivery(document, identity.address, clock.now());
        const { sealed } = request;
        const handover = { recipient, conversation: document.deal.conversation, sealed, require };
        return contentOf(bytes, handover, { kept, identity, network, random });
      }

      return {
        routes: {
          async send({ body, operationId, ip, principal, ignored }) {
            const msgType = parseMessageName(body.msg_type);
            if (!msgType || !sendable(network.version).includes(msgType)) throw unknownType(body.msg_type, network);
            const payload = await payloads.read(msgType, body, ignored);
            checkTopic(payload.typed);
            const recipient = recipientOf(body.recipient, payload.typed);
            const conversationId = conversationOfMessage(body.conversation_id, payload.typed, random);
            const { sealed } = body;
            const conversation = formatConversationId(conversationId);
            budget.take({ ip, principal }, await space.get(deals.ref(conversation)));
            const own = payload.typed.msgType === 'VERDICT' && recipient ? payload.typed.value : undefined;
            const verdict = own && (await verdicts.send(conversation, own, formatAgentId(recipient!)));
            if (verdict) return verdict;
            const { typed } = payload;
            const rating = typed.msgType === 'FEEDBACK' ? typed.value : undefined;
            const { publicPart, purpose } = rating
              ? await ratings.sending(rating)
              : {
                  publicPart: publicPartFor(typed, conversation, identity.key),
                  purpose: sendHookOf(typed, conversation),
                };
            const head = { msgType, conversationId, body: payload.bytes, sealed, publicPart };
            const draft = { ...head, ...(recipient && { recipient }) };
            await means.within(partners.check(conversation, payload.typed));
            const sent = await means.within(messages.send(draft, purpose, operationId));
            return rating ? { ...sent, ...(await ratings.answer(rating)) } : sent;
          },
          async message({ body, operationId }) {
            if (!isSpoken('MESSAGE', network.version)) throw noMessages(network);
            const { conversation_id, sealed, text } = body;
            const payload = codecOf('MESSAGE', network.version).parse({ text });
            if (!payload.ok) throw invalidField('/text', 'has more than 16384 bytes, or is no Unicode text');
            const draft = {
              msgType: 'MESSAGE',
              recipient: agentOf(body.recipient, '/recipient'),
              conversationId: conversationOf(conversation_id, random),
              body: codecOf('MESSAGE', network.version).encode(payload.value, identity.key),
              sealed,
            } as const;
            return messages.send(draft, undefined, operationId);
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

/** What an agent may send by itself: everything but BEACON, which its node sends. */
function sendable(version: EnvelopeVersion): MessageName[] {
  return MESSAGE_TYPES.map(({ name }) => name).filter((name) => name !== 'BEACON' && isSpoken(name, version));
}

function unknownType(given: string, { version }: Network): MeshError {
  const types = sendable(version).join(', ');
  return invalidField('/msg_type', `is no message type an agent sends: ${given.slice(0, 32)}. It is one of ${types}`);
}

function noMessages({ version, name }: Network): MeshError {
  const detail = `The network ${name} speaks envelope version ${version}, which has no MESSAGE.`;
  return new MeshError('invalid_request', { detail });
}
