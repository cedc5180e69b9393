import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger } from '../../internal-services.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import { decodeCursor, encodeCursor } from '../../storage/cursor.ts';
import { dealView } from '../deals/deal-view.ts';
import { dealsConfig } from '../deals/deals-config.ts';
import { READS, STEPS } from '../limits.ts';
import { DealJobs } from '../services/deal-jobs.ts';
import { Deals } from '../services/deals.ts';

/** Looking at deals, and paying for them. */
export const dealsFace = definePlugin({
  name: 'deals',
  api: '2.0',
  summary: 'Deals, from offer to payment, and what each side may do next.',
  config: dealsConfig,
  node: {
    uses: { deals: Deals, work: DealJobs, identity: Identity, clock: Clock, ledger: optional(Ledger) },
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
    setup({ deals, work, identity, clock, ledger }) {
      const view = (document: Parameters<typeof dealView>[0]) =>
        dealView(document, identity.address, clock.now(), ledger);
      return {
        routes: {
          async list({ query }): Promise<SchemaTypes['deals-page']> {
            const limit = query.limit ?? 50;
            const rows = await deals.page(query.state, limit, decodeCursor(query.before, '/before'));
            const last = rows.at(-1);
            return {
              deals: rows.map(({ value }) => view(value)),
              next: last && rows.length === limit ? encodeCursor(last) : null,
            };
          },
          get: async ({ params }) => view(await deals.get(params.conversation_id)),
          async pay({ params }) {
            if (!work.outgoing || !ledger)
              throw new MeshError('ledger_unavailable', 'This node has no ledger; start it with --rpc-url.');
            return view(await work.outgoing.pay(params.conversation_id.toLowerCase(), work.signal));
          },
        },
        jobs: work.jobs,
      };
    },
  },
});
