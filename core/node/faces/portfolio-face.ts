import { Identity, Ledger } from '../../internal-services.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { historyPage } from '../history/history-page.ts';
import { READS } from '../limits.ts';
import { NodeSpace } from '../services/messaging.ts';
import { balancesOf } from '../wallet/balances.ts';

/** The balances of the hot wallet. */
export const portfolioFace = definePlugin({
  name: 'portfolio',
  api: '2.0',
  summary: 'What the wallet holds, and what happened to its money.',
  node: {
    uses: { identity: Identity, space: NodeSpace, ledger: optional(Ledger) },
    routes: {
      balances: route('GET /portfolio/balances', {
        auth: 'api-read',
        limit: READS,
        summary: 'SOL and tokens in the hot wallet.',
        reply: 'portfolio-balances',
        errors: ['ledger_unavailable'],
      }),
      history: route('GET /portfolio/history', {
        auth: 'api-read',
        limit: READS,
        summary: 'What happened to the money of this agent, newest first.',
        query: 'history-query',
        reply: 'history-page',
      }),
    },
    setup({ identity, space, ledger }) {
      return {
        routes: {
          history: ({ query }) => historyPage(space, query),
          balances: () => balancesOf(identity.address, ledger),
        },
      };
    },
  },
});
