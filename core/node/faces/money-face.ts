import { EMPTY } from '../../platform/spending-window.ts';
import { definePlugin, route } from '../../plugin.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { Clock } from '../../services.ts';
import { storeJob } from '../../storage/store-job.ts';
import { READS } from '../limits.ts';
import { moneyConfig } from '../money/caps.ts';
import { capsView } from '../money/caps-view.ts';
import { dayWindow, partnerWindow, x402Window } from '../money/spendings.ts';
import { agentOf } from '../requests/addresses.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Caps, Counted } from '../services/money.ts';

/** Caps on what leaves the wallet: until somebody has audited this, a mistake costs a bounded sum. */
export const moneyFace = definePlugin({
  name: 'money',
  api: '2.0',
  summary: 'Who may spend how much, behind every step that moves USDC.',
  config: moneyConfig,
  node: {
    uses: { space: NodeSpace, caps: Caps, counted: Counted, clock: Clock },
    routes: {
      caps: route('GET /portfolio/caps', {
        auth: 'api-read',
        limit: READS,
        summary: 'What may leave the wallet, and what of that is used.',
        query: 'caps-query',
        reply: 'portfolio-caps',
      }),
    },
    setup({ space, caps, counted, clock }) {
      return {
        routes: {
          async caps({ query }) {
            const partner =
              query.partner === undefined
                ? undefined
                : partnerWindow(formatAgentId(agentOf(query.partner, '/partner')));
            const refs = [dayWindow, x402Window, ...(partner ? [partner] : [])];
            const [day, x402, withPartner] = await space.getMany(refs);
            return capsView(caps, day ?? EMPTY, x402 ?? EMPTY, partner && (withPartner ?? EMPTY), clock.now());
          },
        },
        jobs: counted
          ? [storeJob(space, clock, { name: 'spendings', every: 15_000, first: 0, run: (stop) => counted.run(stop) })]
          : [],
      };
    },
  },
});
