import { MeshError } from '../../contracts/errors.ts';
import { definePlugin, route } from '../../plugin.ts';
import { dealPage } from '../deals/deal-page.ts';
import { dealsConfig } from '../deals/deals-config.ts';
import { READS, STEPS } from '../limits.ts';
import { OwnAgent } from '../services/agents.ts';
import { DealJobs } from '../services/deal-jobs.ts';

/** Looking at deals, and paying for them. */
export const dealsFace = definePlugin({
  name: 'deals',
  api: '2.0',
  summary: 'Deals, from offer to payment, and what each side may do next.',
  config: dealsConfig,
  node: {
    uses: { agent: OwnAgent, work: DealJobs },
    routes: {
      list: route('GET /deals', {
        auth: 'api-read',
        limit: READS,
        summary: 'The deals of this node, the most recently changed first.',
        query: 'deals-query',
        reply: 'deals-page',
      }),
      get: route('GET /deals/:conversation_id', {
        auth: 'api-read',
        limit: READS,
        summary: 'A deal: its state, history, deadline and what you may do next.',
        params: { conversation_id: 'conversation-id' },
        reply: 'deal-view',
        errors: ['not_found'],
      }),
      pay: route('POST /deals/:conversation_id/pay', {
        auth: 'api',
        limit: STEPS,
        summary: 'Pays what is owed in USDC and waits for the ledger; repeating it pays once.',
        params: { conversation_id: 'conversation-id' },
        reply: 'deal-view',
        errors: [
          'not_found',
          'invalid_transition',
          'conflict',
          'insufficient_funds',
          'spending_cap',
          'ledger_unavailable',
          'upstream_failed',
          'identity_in_use',
        ],
      }),
    },
    setup({ agent: { deals, view }, work }) {
      return {
        routes: {
          list: ({ query }) => dealPage(deals, query, view),
          get: async ({ params }) => view(await deals.get(params.conversation_id)),
          async pay({ params }) {
            if (!work.outgoing)
              throw new MeshError('ledger_unavailable', 'This node has no ledger; start it with --rpc-url.');
            return view(await work.outgoing.pay(params.conversation_id.toLowerCase(), work.signal));
          },
        },
        jobs: work.jobs,
      };
    },
  },
});
