import type { SchemaTypes } from '../../../schemas/types.ts';
import { escrowName } from '../../deals/agreed-lock.ts';
import { MeshError } from '../../errors.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import { requireSettlement } from '../../ledger/require-settlement.ts';
import type { EscrowName } from '../../ledger/settlement-steps.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Clock, Ledger } from '../../ports.ts';
import { Identity } from '../../wiring/tokens.ts';
import { dealView } from '../deals/deal-view.ts';
import type { PlainStep } from '../escrow/escrow-steps.ts';
import { escrowView } from '../escrow/escrow-view.ts';
import { checkLockRequest, namedEscrow } from '../requests/escrows.ts';
import { Deals } from '../services/deals.ts';
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
  errors: ERRORS,
  limit: { per: 'principal', rate: 600, window: 60 },
} as const;

/** Money of deals that is locked on the ledger: every step, asked for by hand. Repeating one does it once. */
export const escrowFace = definePlugin({
  name: 'escrow',
  api: '1.0',
  node: {
    uses: { deals: Deals, escrows: Escrows, identity: Identity, clock: Clock, ledger: optional(Ledger) },
    routes: {
      lock: route('POST /escrow/lock', {
        ...step,
        summary: 'Locks the agreed amount of an accepted deal, as its requester.',
        body: 'escrow-lock-request',
        errors: [...ERRORS, 'escrow_exists'],
      }),
      approve: route('POST /escrow/approve', {
        ...step,
        summary: 'Releases the locked amount to the provider: the requester always, the notary once delivered.',
      }),
      deliver: route('POST /escrow/deliver', {
        ...step,
        summary: 'Names the DELIVER of a deal on the ledger, as its provider; the node does so by itself.',
      }),
      refund: route('POST /escrow/refund', {
        ...step,
        summary: 'Gives the locked amount back: the provider always, the notary once delivered.',
      }),
      reclaim: route('POST /escrow/reclaim', {
        ...step,
        summary: 'Takes back what was not delivered before the deadline; the node does so by itself.',
      }),
      dispute: route('POST /escrow/dispute', {
        ...step,
        summary: 'Objects on the ledger within the review, as the requester; a DISPUTE does so by itself.',
      }),
      claim: route('POST /escrow/claim', {
        ...step,
        summary: 'Takes what nobody answered within the review; the node does so by itself.',
      }),
      split: route('POST /escrow/split', {
        ...step,
        summary: 'Divides what stayed disputed; the node does so by itself.',
      }),
      get: route('GET /escrow/:conversation_id', {
        auth: 'api-read',
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
          ...(after && { deal: dealView(after, identity.address, clock.now()) }),
        };
      }

      function plain(type: PlainStep) {
        return async ({ body }: { readonly body: SchemaTypes['escrow-request'] }) => {
          const { steps } = open();
          const name = namedEscrow(body, await deals.find(body.conversation_id));
          return reply(name, await steps.take(type, name));
        };
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
            const { steps } = open();
            const { deal } = await deals.get(body.conversation_id);
            return reply(namedEscrow(body, { deal }), await steps.deliver(deal));
          },
          approve: plain('approve'),
          refund: plain('refund'),
          reclaim: plain('reclaim'),
          dispute: plain('dispute'),
          claim: plain('claim'),
          split: plain('split'),
          async get({ params }) {
            const settlement = requireSettlement(ledger);
            const { deal } = await deals.get(params.conversation_id);
            const escrow = await settlement.escrow(escrowName(deal));
            if (!escrow) throw new MeshError('escrow_not_found');
            return escrowView(escrow);
          },
        },
        jobs: escrows.jobs,
      };
    },
  },
});
