import { invalidField, MeshError } from '../../contracts/errors.ts';
import { Identity, Network, Settings } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, route } from '../../plugin.ts';
import { isSpoken } from '../../protocol/envelopes/message-types.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { Clock, Random } from '../../services.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import { ANSWERS, READS, STEPS } from '../limits.ts';
import { agentOf, conversationOf } from '../requests/addresses.ts';
import { CallBudget } from '../requests/call-budget.ts';
import { MOST_DELIVERED } from '../requests/delivery.ts';
import { OwnAgent } from '../services/agents.ts';
import { traceOf } from '../trace.ts';

/** Sending any envelope, and following it on its way. */
export const envelopesFace = definePlugin({
  name: 'envelopes',
  api: '2.0',
  summary: 'Sending any envelope, and what became of it.',
  node: {
    uses: {
      agent: OwnAgent,
      identity: Identity,
      network: Network,
      random: Random,
      clock: Clock,
      settings: Settings,
    },
    routes: {
      send: route('POST /envelopes/send', {
        auth: 'api',
        limit: ANSWERS,
        summary: 'Sends a signed envelope to one agent, or to everybody.',
        body: 'send-request',
        agentIds: 'as-given',
        reply: 'sent',
        errors: ['invalid_transition', 'payload_too_large', 'rate_limited', 'ledger_unavailable', ...SIGNING_ERRORS],
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
    setup({ agent: { messages, speech, space }, identity, network, random, clock, settings }) {
      const budget = new CallBudget(clock, settings.api.unlimited);

      return {
        routes: {
          async send({ body, operationId, ip, principal, ignored }) {
            const permit = (document: DealDocument | undefined) => budget.take({ ip, principal }, document);
            return speech.send(body, { operationId, ignored, permit });
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

function noMessages({ version, name }: Network): MeshError {
  const detail = `The network ${name} speaks envelope version ${version}, which has no MESSAGE.`;
  return new MeshError('invalid_request', { detail });
}
