import type { RateLimiter } from '../../http/limits.ts';
import type { Log } from '../../platform/log.ts';
import type { Asker } from '../../provider.ts';
import type { Deals, DealView } from '../../services.ts';
import type { DealBook } from '../deals/deal-book.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import { dealPage } from '../deals/deal-page.ts';
import type { Negotiation } from '../deals/negotiation.ts';
import { type GiveFeedbackOptions, giveFeedback } from '../give-feedback.ts';
import type { NodeEvents } from '../services/node-events.ts';
import { followDeals } from './followed-deals.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import { requirePermission } from './require-permission.ts';

/** The deals of one agent, as those who act for it use them. */
export interface DealStepsOptions extends RequestsOptions {
  readonly deals: DealBook;
  readonly negotiation: Negotiation;
  readonly rating: GiveFeedbackOptions;
  readonly events: NodeEvents;
  readonly view: (document: DealDocument) => DealView;
  readonly log: Log;
  /** Aborted when the node stops. */
  readonly signal: AbortSignal;
}

/** Reads deals and takes the steps that are messages, for one plugin after the other, within what each may do. */
export function dealSteps(options: DealStepsOptions, limiter: RateLimiter): (asker: Asker) => Omit<Deals, 'escrow'> {
  const { deals, negotiation, rating, events, view, log, signal } = options;
  const find = (conversation: string) => deals.find(conversation);

  return (asker) => {
    const requests = new Requests(asker.name, options);
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
    };
  };
}
