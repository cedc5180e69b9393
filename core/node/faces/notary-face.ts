import { toBase64 } from '../../bytes.ts';
import { lastOffer } from '../../deals/deal.ts';
import { codecOf } from '../../envelopes/payloads/codecs.ts';
import { MeshError } from '../../errors.ts';
import { parseAgentId, parseConversationId } from '../../identity/ids.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Ledger } from '../../ports.ts';
import { Identity, Network } from '../../wiring/tokens.ts';
import { assignPayload } from '../notary/assignment.ts';
import { cases, caseView } from '../notary/case-records.ts';
import { Verdicts } from '../notary/verdicts.ts';
import { Steps } from '../services/behavior.ts';
import { Deals } from '../services/deals.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';

const SHOWN = 200;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BID_TYPES = { request: 0, offer: 1 } as const;
const sending = { auth: 'api', idempotency: true, limit: { per: 'principal', rate: 600, window: 60 } } as const;

/** Finding a notary, assigning it, and being one. */
export const notaryFace = definePlugin({
  name: 'notary',
  api: '1.0',
  node: {
    uses: {
      deals: Deals,
      messages: Messaging,
      identity: Identity,
      network: Network,
      space: NodeSpace,
      steps: Steps,
      ledger: optional(Ledger),
    },
    routes: {
      bid: route('POST /notarize/bid', {
        ...sending,
        summary: 'Tells everybody that a deal looks for a notary, or that this agent offers to be it.',
        body: 'notarize-bid-request',
        reply: 'sent',
      }),
      assign: route('POST /notarize/assign', {
        ...sending,
        summary: 'Assigns the notary that a deal names.',
        body: 'notarize-assign-request',
        reply: 'sent',
        errors: ['not_found', 'invalid_transition'],
      }),
      cases: route('GET /notarize/cases', {
        auth: 'api-read',
        summary: 'The deals this node is the notary of, the newest first.',
        reply: 'notary-cases',
      }),
      verdict: route('POST /verdict', {
        ...sending,
        summary: 'Decides a deal as its notary: tells both parties and, with escrow, releases or refunds it.',
        body: 'verdict-request',
        reply: 'notary-case-view',
        errors: [
          'not_found',
          'conflict',
          'invalid_transition',
          'insufficient_funds',
          'ledger_unavailable',
          'escrow_not_found',
          'upstream_failed',
        ],
      }),
    },
    setup({ deals, messages, identity, network, space, steps, ledger }, { signal, log }) {
      const { version } = network;
      const settlement = ledger?.settlement;
      const verdicts = new Verdicts({ space, messages, identity, network, settlement, steps, log });
      return {
        routes: {
          bid({ body, operationId }) {
            const conversation = body.conversation_id.toLowerCase();
            const opaque_b64 = toBase64(Buffer.from(body.note ?? '', 'utf8'));
            const value = { bid_type: BID_TYPES[body.kind], conversation_id: conversation, opaque_b64 } as const;
            const bytes = codecOf('NOTARIZE_BID', version).encode(value, identity.key);
            const conversationId = parseConversationId(conversation)!;
            return messages.send({ msgType: 'NOTARIZE_BID', conversationId, body: bytes }, undefined, operationId);
          },
          async assign({ body, operationId }) {
            const { deal } = await deals.get(body.conversation_id);
            const { notary } = lastOffer(deal);
            if (notary === null || !deal.accepted)
              throw new MeshError(
                'invalid_transition',
                'Only the notary of an accepted deal can be assigned; this deal has none.',
              );
            const bytes = codecOf('NOTARIZE_ASSIGN', version).encode(assignPayload(notary, deal), identity.key);
            const conversationId = parseConversationId(deal.conversation)!;
            const draft = {
              msgType: 'NOTARIZE_ASSIGN',
              recipient: parseAgentId(notary)!,
              conversationId,
              body: bytes,
            } as const;
            return messages.send(draft, undefined, operationId);
          },
          async cases() {
            const rows = await space.page(cases, { index: 'recent', reverse: true, limit: SHOWN });
            return rows.map(({ value }) => caseView(value));
          },
          async verdict({ body }) {
            const conversation = body.conversation_id.toLowerCase();
            return caseView(await verdicts.give(conversation, body.outcome, body.reason, signal));
          },
        },
        jobs: [
          { name: 'verdicts', every: settlement ? MINUTE : HOUR, first: 1_000, run: (stop) => verdicts.resume(stop) },
        ],
      };
    },
  },
});
