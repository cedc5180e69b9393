import { RateLimiter } from '../../http/limits.ts';
import { IdempotencyStore, Identity, Ledger, Network } from '../../internal-services.ts';
import { optional } from '../../plugin.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { Clock, Contracts, Deals } from '../../services.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import { dealView } from '../deals/deal-view.ts';
import { Means } from '../deals/means.ts';
import { EscrowRequests } from '../escrow/escrow-requests.ts';
import { STEPS } from '../limits.ts';
import { Ratings } from '../ratings.ts';
import { DealBook } from '../services/deal-book.ts';
import { Escrows } from '../services/escrows.ts';
import { Judges } from '../services/judging.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Negotiating } from '../services/negotiating.ts';
import { Events } from '../services/node-events.ts';
import { dealSteps } from './deal-steps.ts';
import { Requests } from './requests.ts';
import { requirePermission } from './require-permission.ts';

/** The deals of this node for a plugin, within what it may do. */
export const offeredDealsProvider = provider(Deals, {
  uses: {
    deals: DealBook,
    negotiation: Negotiating,
    escrows: Escrows,
    messages: Messaging,
    events: Events,
    identity: Identity,
    network: Network,
    space: NodeSpace,
    contracts: Contracts,
    idempotency: IdempotencyStore,
    clock: Clock,
    judges: Judges,
    ledger: optional(Ledger),
  },
  open(services, { settings, log, signal }) {
    const { identity, clock, ledger } = services;
    const escrow = new EscrowRequests(services);
    const rating = { ...services, ratings: new Ratings({ ...services, settings, log }), means: new Means(ledger) };
    const view = (document: DealDocument) => dealView(document, identity.address, clock.now(), ledger);
    const limiter = new RateLimiter(STEPS, clock);
    const steps = dealSteps({ ...services, rating, view, log, signal }, limiter);

    return new PerPlugin<Deals>((asker) => {
      const requests = new Requests(asker.name, services);
      const mayRead = () => requirePermission(asker, 'deals:read');
      const mayStep = (step: string) => {
        requirePermission(asker, 'deals:act');
        limiter.take(`${asker.name} ${step}`);
      };
      return {
        ...steps(asker),
        escrow: {
          async get(conversationId) {
            mayRead();
            return escrow.view(requests.read('conversation-id', conversationId));
          },
          async deliver(request) {
            mayStep('escrow.deliver');
            return escrow.deliver(requests.read('escrow-request', request));
          },
          async refund(request) {
            mayStep('escrow.refund');
            return escrow.plain('refund', requests.read('escrow-request', request));
          },
          async reclaim(request) {
            mayStep('escrow.reclaim');
            return escrow.plain('reclaim', requests.read('escrow-request', request));
          },
          async claim(request) {
            mayStep('escrow.claim');
            return escrow.plain('claim', requests.read('escrow-request', request));
          },
          async split(request) {
            mayStep('escrow.split');
            return escrow.plain('split', requests.read('escrow-request', request));
          },
          async dispute(request) {
            mayStep('escrow.dispute');
            return escrow.dispute(requests.read('escrow-dispute-request', request));
          },
          async contest(request) {
            mayStep('escrow.contest');
            return escrow.contest(requests.read('escrow-contest-request', request));
          },
        },
      };
    });
  },
});
