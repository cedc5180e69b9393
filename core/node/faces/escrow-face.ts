import { Identity, Ledger } from '../../internal-services.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import { EscrowRequests } from '../escrow/escrow-requests.ts';
import { READS, STEPS } from '../limits.ts';
import { DealBook } from '../services/deal-book.ts';
import { Escrows } from '../services/escrows.ts';

const ERRORS = [
  'not_found',
  'forbidden',
  'insufficient_funds',
  'escrow_not_found',
  'conflict',
  'deadline_not_reached',
  'deadline_passed',
  'invalid_transition',
  'upstream_failed',
  'not_ready',
  'ledger_unavailable',
  'ledger_program_missing',
] as const;

const step = {
  auth: 'api',
  reply: 'escrow-step',
  body: 'escrow-request',
  money: true,
  errors: ERRORS,
  limit: STEPS,
} as const;

/** Money of deals that is locked on the ledger: every step, asked for by hand. Repeating one does it once. */
export const escrowFace = definePlugin({
  name: 'escrow',
  api: '2.0',
  summary: "A deal's money, locked in the settlement program.",
  node: {
    uses: { deals: DealBook, escrows: Escrows, identity: Identity, clock: Clock, ledger: optional(Ledger) },
    routes: {
      lock: route('POST /escrow/lock', {
        ...step,
        summary: 'Locks the agreed amount of an accepted deal, as its requester.',
        body: 'escrow-lock-request',
        errors: [...ERRORS, 'escrow_exists', 'spending_cap'],
      }),
      approve: route('POST /escrow/approve', {
        ...step,
        summary:
          'Releases the locked amount to the provider, as the requester; the bond comes back, after a contest the offered share of it.',
      }),
      deliver: route('POST /escrow/deliver', {
        ...step,
        summary: 'Names the DELIVER of a deal on the ledger, as its provider; the node does so by itself.',
      }),
      refund: route('POST /escrow/refund', {
        ...step,
        summary: 'Gives the locked amount and the bond back, as the provider.',
      }),
      reclaim: route('POST /escrow/reclaim', {
        ...step,
        summary: 'Takes back what was not delivered before the deadline; the node does so by itself.',
      }),
      set_payee: route('POST /escrow/set-payee', {
        ...step,
        summary:
          'Has the release paid to another wallet, as the provider, such as to a deposit address of an aggregator.',
        body: 'escrow-payee-request',
      }),
      dispute: route('POST /escrow/dispute', {
        ...step,
        summary: 'Objects within the review, as the requester, and offers a share; again while disputed raises it.',
        body: 'escrow-dispute-request',
      }),
      contest: route('POST /escrow/contest', {
        ...step,
        summary: 'Refuses the offer of a dispute, as the provider: its notary decides, or what is in dispute burns.',
        body: 'escrow-contest-request',
      }),
      claim: route('POST /escrow/claim', {
        ...step,
        summary: 'Takes what nobody answered within the review; the node does so by itself.',
      }),
      split: route('POST /escrow/split', {
        ...step,
        summary: 'Ends a dispute: the offer stands, or what was contested burns; the node does so by itself.',
      }),
      get: route('GET /escrow/:conversation_id', {
        auth: 'api-read',
        limit: READS,
        summary: "What is locked for a deal of this node, from the ledger's finalised state.",
        params: { conversation_id: 'conversation-id' },
        reply: 'escrow-view',
        errors: ['not_found', 'escrow_not_found', 'ledger_unavailable', 'ledger_program_missing'],
      }),
    },
    setup({ escrows, ...services }) {
      const requests = new EscrowRequests({ escrows, ...services });
      return {
        routes: {
          lock: ({ body }) => requests.lock(body),
          deliver: ({ body }) => requests.deliver(body),
          approve: ({ body }) => requests.plain('approve', body),
          refund: ({ body }) => requests.plain('refund', body),
          reclaim: ({ body }) => requests.plain('reclaim', body),
          set_payee: ({ body }) => requests.setPayee(body),
          dispute: ({ body }) => requests.dispute(body),
          contest: ({ body }) => requests.contest(body),
          claim: ({ body }) => requests.plain('claim', body),
          split: ({ body }) => requests.plain('split', body),
          get: ({ params }) => requests.view(params.conversation_id),
        },
        jobs: escrows.jobs,
      };
    },
  },
});
