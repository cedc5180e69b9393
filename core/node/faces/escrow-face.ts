import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger } from '../../internal-services.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { escrowName } from '../../protocol/deals/agreed-lock.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import { Clock } from '../../services.ts';
import { type DealDocument, openActions } from '../deals/deal-document.ts';
import { dealView } from '../deals/deal-view.ts';
import { withAllowed } from '../deals/with-allowed.ts';
import { CONTEST_BPS } from '../escrow/escrow-duties.ts';
import type { EscrowSteps, PlainStep } from '../escrow/escrow-steps.ts';
import { escrowView } from '../escrow/escrow-view.ts';
import { READS, STEPS } from '../limits.ts';
import { checkLockRequest, namedEscrow, offerOf } from '../requests/escrows.ts';
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

const ENDED = 'The escrow has ended and is closed: escrow of GET /deals/{conversation_id} says what it paid.';

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
          'Releases the locked amount to the provider, as the requester; the bond comes back unless it was contested.',
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
    setup({ deals, escrows, identity, clock, ledger }) {
      function open() {
        requireSettlement(ledger);
        if (!escrows.open) throw new MeshError('ledger_program_missing');
        return escrows.open;
      }

      async function reply(name: EscrowName, landed: LandedTransaction): Promise<SchemaTypes['escrow-step']> {
        const before = await deals.find(name.conversation);
        if (before) await open().watch.look(before.deal);
        const after = await deals.find(name.conversation);
        const { address, vault } = requireSettlement(ledger).escrowAddress(name);
        return {
          ok: true,
          conversation_id: name.conversation,
          signature: landed.signature,
          slot: landed.slot,
          escrow: address,
          vault,
          ...(after && { deal: dealView(after, identity.address, clock.now(), ledger) }),
        };
      }

      /** A step of a deal of this node or of the parties that the request names; its refusal says what is allowed. */
      async function step(
        request: SchemaTypes['escrow-request'],
        take: (steps: EscrowSteps, name: EscrowName, document: DealDocument | undefined) => Promise<LandedTransaction>,
      ) {
        const { steps } = open();
        const document = await deals.find(request.conversation_id);
        const name = namedEscrow(request, document);
        const landed = await take(steps, name, document).catch((error: unknown) => {
          throw document ? withAllowed(error, openActions(document, identity.address, clock.now())) : error;
        });
        return reply(name, landed);
      }

      function plain(type: PlainStep) {
        return ({ body }: { readonly body: SchemaTypes['escrow-request'] }) =>
          step(body, (steps, name) => steps.take(type, name));
      }

      return {
        routes: {
          async lock({ body }) {
            const { steps } = open();
            const document = await deals.get(body.conversation_id);
            checkLockRequest(body, document.deal);
            return reply(escrowName(document.deal), await steps.lock(document, clock.now()));
          },
          async deliver({ body }) {
            const { deal } = await deals.get(body.conversation_id);
            return step(body, (steps) => steps.deliver(deal));
          },
          approve: plain('approve'),
          refund: plain('refund'),
          reclaim: plain('reclaim'),
          dispute: ({ body }) =>
            step(body, (steps, name, document) => steps.dispute(name, offerOf(body.offer_bps, document?.deal))),
          contest: ({ body }) => step(body, (steps, name) => steps.contest(name, body.max_bps ?? CONTEST_BPS)),
          claim: plain('claim'),
          split: plain('split'),
          async get({ params }) {
            const settlement = requireSettlement(ledger);
            const { deal } = await deals.get(params.conversation_id);
            const escrow = await settlement.escrow(escrowName(deal));
            if (!escrow) {
              const ended = deal.escrow?.outcome != null;
              throw new MeshError('escrow_not_found', ended ? ENDED : undefined);
            }
            return escrowView(escrow);
          },
        },
        jobs: escrows.jobs,
      };
    },
  },
});
