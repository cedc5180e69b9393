import { RateLimiter } from '../../http/limits.ts';
import { IdempotencyStore, Identity, Ledger, Network } from '../../internal-services.ts';
import { optional } from '../../plugin.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { Clock, Contracts, Deals } from '../../services.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import { dealPage } from '../deals/deal-page.ts';
import { dealView } from '../deals/deal-view.ts';
import { Means } from '../deals/means.ts';
import { EscrowRequests } from '../escrow/escrow-requests.ts';
import { giveFeedback } from '../give-feedback.ts';
import { STEPS } from '../limits.ts';
import { Ratings } from '../ratings.ts';
import { DealBook } from '../services/deal-book.ts';
import { Escrows } from '../services/escrows.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Negotiating } from '../services/negotiating.ts';
import { Events } from '../services/node-events.ts';
import { followDeals } from './followed-deals.ts';
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
    ledger: optional(Ledger),
  },
  open(services, { settings, log, signal }) {
    const { deals, negotiation, events, identity, clock, ledger } = services;
    const escrow = new EscrowRequests(services);
    const rating = { ...services, ratings: new Ratings({ ...services, settings, log }), means: new Means(ledger) };
    const view = (document: DealDocument) => dealView(document, identity.address, clock.now(), ledger);
    const find = (conversation: string) => deals.find(conversation);

    const limiter = new RateLimiter(STEPS, clock);

    return new PerPlugin<Deals>((asker) => {
      const requests = new Requests(asker.name, services);
      const mayRead = () => requirePermission(asker, 'deals:read');
      const mayAct = () => requirePermission(asker, 'deals:act');
      /** A step that no budget of the negotiation counts. */
      const mayStep = (step: string) => {
        mayAct();
        limiter.take(`${asker.name} ${step}`);
      };
      return {
        async get(conversationId) {
          mayRead();
          return view(await deals.get(requests.read('conversation-id', conversationId)));
        },
        async page(query = {}) {
          mayRead();
          return dealPage(deals, requests.read('deals-query', query), view);
        },
        follow(told) {
          mayRead();
          const own = log.child({ plugin: asker.name });
          return followDeals({ events, find, signal, log: own }, (document) => told(view(document)));
        },
        async propose(request, { operationId } = {}) {
          mayStep('propose');
          const given = { request, operationId };
          return requests.step('propose', 'propose-request', given, (asked) => negotiation.propose(asked));
        },
        async counter(request, { operationId } = {}) {
          mayAct();
          const given = { request, operationId };
          return requests.step('counter', 'counter-request', given, (asked) => negotiation.counter(asked));
        },
        async accept(request, { operationId } = {}) {
          mayAct();
          const given = { request, operationId };
          return requests.step('accept', 'accept-request', given, (asked) => negotiation.accept(asked));
        },
        async reject(request, { operationId } = {}) {
          mayAct();
          const given = { request, operationId };
          return requests.step('reject', 'reject-request', given, (asked) => negotiation.reject(asked));
        },
        async deliver(request, { operationId } = {}) {
          mayAct();
          const given = { request, operationId };
          return requests.step('deliver', 'deliver-request', given, (asked) => negotiation.deliver(asked));
        },
        async dispute(request, { operationId } = {}) {
          mayAct();
          const given = { request, operationId };
          return requests.step('dispute', 'dispute-request', given, (asked) => negotiation.dispute(asked));
        },
        async feedback(request, { operationId } = {}) {
          mayStep('feedback');
          const given = { request, operationId };
          return requests.step('feedback', 'feedback-request', given, (asked) =>
            giveFeedback(rating, asked.body, asked.operationId),
          );
        },
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
