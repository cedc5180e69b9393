import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, route } from '../../plugin.ts';
import { giveFeedback } from '../give-feedback.ts';
import { STEPS } from '../limits.ts';
import { OwnAgent } from '../services/agents.ts';

/** Rating the other side of a deal. */
export const feedbackFace = definePlugin({
  name: 'feedback',
  api: '2.0',
  summary: 'Rating the other side of a deal that has ended.',
  node: {
    uses: { agent: OwnAgent },
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
    setup: ({ agent }) => ({
      routes: { feedback: ({ body, operationId }) => giveFeedback(agent.rating, body, operationId) },
    }),
  },
});
