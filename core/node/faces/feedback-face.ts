import { Identity, Ledger, Network, Settings } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Means } from '../deals/means.ts';
import { giveFeedback } from '../give-feedback.ts';
import { STEPS } from '../limits.ts';
import { Ratings } from '../ratings.ts';
import { Judges } from '../services/judging.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';

/** Rating the other side of a deal. */
export const feedbackFace = definePlugin({
  name: 'feedback',
  api: '2.0',
  summary: 'Rating the other side of a deal that has ended.',
  node: {
    uses: {
      space: NodeSpace,
      messages: Messaging,
      identity: Identity,
      network: Network,
      settings: Settings,
      judges: Judges,
      ledger: optional(Ledger),
    },
    routes: {
      feedback: route('POST /feedback', {
        auth: 'api',
        summary: 'Rates the other side of a deal that has ended, or as its notary either side, for everybody to see.',
        body: 'feedback-request',
        reply: 'sent',
        idempotency: true,
        errors: ['invalid_transition', 'not_found', ...SIGNING_ERRORS],
        limit: STEPS,
      }),
    },
    setup({ space, settings, judges, ledger, ...sending }, { log }) {
      const ratings = new Ratings({ space, identity: sending.identity, settings, judges, log });
      const options = { ...sending, ratings, means: new Means(ledger) };
      return { routes: { feedback: ({ body, operationId }) => giveFeedback(options, body, operationId) } };
    },
  },
});
