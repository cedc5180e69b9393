import { Identity, Ledger, Network } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { giveFeedback } from '../deals/give-feedback.ts';
import { Means } from '../deals/means.ts';
import { STEPS } from '../limits.ts';
import { DealBook } from '../services/deal-book.ts';
import { Messaging } from '../services/messaging.ts';

/** Rating the other side of a deal. */
export const feedbackFace = definePlugin({
  name: 'feedback',
  api: '2.0',
  summary: 'Rating the other side of a deal that has ended.',
  node: {
    uses: { deals: DealBook, messages: Messaging, identity: Identity, network: Network, ledger: optional(Ledger) },
    routes: {
      feedback: route('POST /feedback', {
        auth: 'api',
        summary: 'Rates the other side of a deal that has ended, for everybody to see.',
        body: 'feedback-request',
        reply: 'sent',
        idempotency: true,
        errors: ['invalid_transition', 'not_found', ...SIGNING_ERRORS],
        limit: STEPS,
      }),
    },
    setup({ ledger, ...services }) {
      const options = { ...services, means: new Means(ledger) };
      return { routes: { feedback: ({ body, operationId }) => giveFeedback(options, body, operationId) } };
    },
  },
});
