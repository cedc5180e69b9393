import { defineFace, optional, route } from '../../plugin.ts';
import { Clock, Ledger, Settings, Store } from '../../ports.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { VERSION } from '../../version.ts';
import { networkParts, networkView } from '../../wiring/network-parts.ts';
import { Network, SPACE } from '../ports.ts';
import { agentCount, interactionCount } from '../store/logs.ts';
import { isoTime } from '../times.ts';

/** When this aggregator was first started: its counts are since then, whatever restarts there were. */
const started = collection<{ readonly at: number }>('started', { schema: () => [] });

/** Facts about the service and the network as a whole. */
export const networkFace = defineFace({
  uses: { store: Store, clock: Clock, network: Network, settings: Settings, ledger: optional(Ledger) },
  routes: {
    version: route('GET /version', { auth: 'open', summary: 'The version of this service', reply: 'version' }),
    network: route('GET /network', {
      auth: 'open',
      summary: 'Which mesh this aggregator is of',
      reply: 'network',
    }),
    network_stats: route('GET /stats/network', {
      auth: 'open',
      summary: 'How many agents and interactions this aggregator knows',
      reply: 'network-stats',
    }),
  },
  async setup({ store, clock, network, settings, ledger }) {
    const told = networkView(network, networkParts(ledger, settings.network));
    const space: Space = store.space(SPACE);
    const ref = started.ref('first');
    const { value: startedAt } = await space.tx([ref], (tx) => {
      const at = tx.get(ref)?.at ?? clock.now();
      tx.put(ref, { at });
      return at;
    });
    return {
      routes: {
        version: () => ({ version: VERSION, sdk: VERSION, node: VERSION }),
        network: () => told,
        network_stats: async () => {
          const [agents, interactions] = await space.totals([agentCount.ref(), interactionCount.ref()]);
          return {
            agent_count: Number(agents),
            interaction_count: Number(interactions),
            started_at: isoTime(startedAt),
          };
        },
      },
    };
  },
});
