import { invalidField, MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger, Network } from '../../internal-services.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { toBase64 } from '../../platform/bytes.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { DISPUTE_SECS, lastOffer } from '../../protocol/deals/deal.ts';
import { codecOf } from '../../protocol/envelopes/payloads/codecs.ts';
import { parseConversationId } from '../../protocol/identity/ids.ts';
import { Clock } from '../../services.ts';
import { READS, STEPS } from '../limits.ts';
import { Appointments } from '../notary/appointments.ts';
import { cases, caseView, type NotaryCase } from '../notary/case-records.ts';
import { Decisions } from '../notary/decisions.ts';
import { Verdicts } from '../notary/verdicts.ts';
import { outcomeOf, wordOf } from '../requests/verdicts.ts';
import { SettlementActions } from '../services/behavior.ts';
import { DealBook } from '../services/deal-book.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Events } from '../services/node-events.ts';

const SHOWN = 200;
const MINUTE = 60_000;
const BID_TYPES = { request: 0, offer: 1 } as const;
const sending = { auth: 'api', idempotency: true, limit: STEPS } as const;

/** Finding a notary, assigning it, and being one. */
export const notaryFace = definePlugin({
  name: 'notary',
  api: '2.0',
  summary: 'Judging deals as a notary, and asking one.',
  node: {
    uses: {
      deals: DealBook,
      messages: Messaging,
      identity: Identity,
      network: Network,
      space: NodeSpace,
      steps: SettlementActions,
      clock: Clock,
      events: Events,
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
        limit: READS,
        summary: 'The deals this node is the notary of, the newest first.',
        reply: 'notary-cases',
      }),
      verdict: route('POST /verdict', {
        ...sending,
        summary: "Gives the notary's word on a delivery to both parties; the requester's node follows it.",
        body: 'verdict-request',
        money: true,
        reply: 'notary-case-view',
        errors: ['not_found', 'conflict', 'invalid_transition', 'ledger_unavailable'],
      }),
      decide: route('POST /notarize/decide', {
        ...sending,
        summary: 'Decides a contested escrow on the ledger, as its notary.',
        body: 'notarize-decide-request',
        money: true,
        reply: 'notary-case-view',
        errors: [
          'not_found',
          'conflict',
          'forbidden',
          'invalid_transition',
          'insufficient_funds',
          'deadline_passed',
          'not_ready',
          'ledger_unavailable',
          'ledger_program_missing',
          'escrow_not_found',
          'upstream_failed',
        ],
      }),
    },
    setup({ deals, messages, identity, network, space, steps, clock, events, ledger }, { signal, log }) {
      const { version } = network;
      const settlement = ledger?.settlement;
      const appointments = new Appointments({ messages, identity, network, log });
      const verdicts = new Verdicts({ space, messages, identity, network, settlement, log });
      const decisions =
        settlement &&
        steps &&
        new Decisions({
          ...{ space, settlement, steps, clock, log, self: identity.address },
          remind: ({ conversation: conversation_id }, reminder) =>
            events.emit('deal', undefined, { conversation_id, state: 'contested', reminder }),
        });
      const view = (found: NotaryCase) => caseView(found, (settlement?.numbers.disputeSecs ?? DISPUTE_SECS) * 1000);
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
            return appointments.assign(deal, operationId);
          },
          async cases() {
            const rows = await space.page(cases, { index: 'recent', reverse: true, limit: SHOWN });
            return rows.map(({ value }) => view(value));
          },
          async verdict({ body }) {
            const conversation = body.conversation_id.toLowerCase();
            return view(await verdicts.give(conversation, wordOf(body)));
          },
          async decide({ body }) {
            requireSettlement(ledger);
            if (!decisions) throw new MeshError('ledger_program_missing');
            const { for_provider, outcome } = body;
            if ((for_provider === undefined) === (outcome === undefined))
              throw invalidField('/for_provider', 'or outcome is needed, and not both');
            const forProvider = for_provider ?? outcomeOf(outcome!) === 'approve';
            return view(await decisions.decide(body.conversation_id.toLowerCase(), forProvider, signal));
          },
        },
        jobs: [
          { name: 'verdicts', every: MINUTE, first: 1_000, run: (stop) => verdicts.resume(stop) },
          ...(decisions
            ? [{ name: 'notary-decisions', every: 10_000, run: (stop: AbortSignal) => decisions.run(stop) }]
            : []),
        ],
      };
    },
  },
});
