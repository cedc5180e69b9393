import { MeshError } from '../../contracts/errors.ts';
import { Identity, Ledger } from '../../internal-services.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { historyPage } from '../history/history-page.ts';
import { READS } from '../limits.ts';
import { NodeSpace } from '../services/messaging.ts';

const SOL_MINT = 'So11111111111111111111111111111111111111112';
const SOL_DECIMALS = 9;

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
          async balances() {
            if (!ledger) throw new MeshError('ledger_unavailable', 'This node has no ledger; start it with --rpc-url.');
            const { lamports, tokens } = await ledger.balances(identity.address);
            const usdc = ledger.cluster.usdcMint;
            return {
              address: identity.address,
              tokens: [
                token(SOL_MINT, 'SOL', lamports, SOL_DECIMALS),
                ...tokens.map(({ mint, amount, decimals }) =>
                  token(mint, mint === usdc ? 'USDC' : null, amount, decimals),
                ),
              ],
            };
          },
        },
      };
    },
  },
});

function token(mint: string, symbol: string | null, base: bigint, decimals: number) {
  return { mint, symbol, amount: Number(base) / 10 ** decimals, amount_base: base.toString(), decimals };
}
