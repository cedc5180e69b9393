import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { AgentKeys } from '../../services.ts';
import { ANSWERS, STEPS } from '../limits.ts';
import { PartnerKeys } from '../partner-keys.ts';
import { MOST_DELIVERED } from '../requests/delivery.ts';
import { Negotiating } from '../services/negotiating.ts';

const step = {
  auth: 'api',
  reply: 'deal-step',
  money: true,
  limit: ANSWERS,
  idempotency: true,
  errors: ['invalid_transition', 'not_found', 'rate_limited', ...SIGNING_ERRORS],
} as const;

/** The steps of a deal that are messages: offer, counter, accept, reject, deliver, dispute. */
export const negotiationFace = definePlugin({
  name: 'negotiation',
  api: '2.0',
  summary: 'Offers, counters, acceptance and delivery.',
  node: {
    uses: { negotiation: Negotiating, partnerKeys: PartnerKeys, agentKeys: optional(AgentKeys) },
    routes: {
      propose: route('POST /negotiate/propose', {
        ...step,
        summary: 'Offers a deal to an agent.',
        limit: STEPS,
        body: 'propose-request',
        agentIds: 'as-given',
        errors: [...step.errors, 'spending_cap', 'ledger_unavailable'],
      }),
      counter: route('POST /negotiate/counter', {
        ...step,
        summary: 'Answers an offer with another.',
        body: 'counter-request',
        errors: [...step.errors, 'spending_cap'],
      }),
      accept: route('POST /negotiate/accept', {
        ...step,
        summary: 'Accepts the last offer.',
        body: 'accept-request',
        errors: [...step.errors, 'spending_cap', 'ledger_unavailable'],
      }),
      reject: route('POST /negotiate/reject', {
        ...step,
        summary: 'Refuses an offer, or withdraws one.',
        body: 'reject-request',
      }),
      dispute: route('POST /dispute', {
        ...step,
        summary:
          'Objects to a delivery, as the requester; the node takes it to the ledger where the amount is locked. Everybody may read it.',
        body: 'dispute-request',
      }),
      deliver: route('POST /deliver', {
        ...step,
        summary: 'Hands over the work.',
        body: 'deliver-request',
        errors: [...step.errors, 'payload_too_large'],
        maxBody: MOST_DELIVERED,
      }),
    },
    setup({ negotiation, partnerKeys, agentKeys }) {
      partnerKeys.use(agentKeys);
      return {
        routes: {
          propose: (call) => negotiation.propose(call),
          counter: (call) => negotiation.counter(call),
          accept: (call) => negotiation.accept(call),
          reject: (call) => negotiation.reject(call),
          dispute: (call) => negotiation.dispute(call),
          deliver: (call) => negotiation.deliver(call),
        },
      };
    },
  },
});
