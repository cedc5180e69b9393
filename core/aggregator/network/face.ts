import type { SchemaTypes } from '../../../schemas/types.ts';
import { Ledger, Settings, Store } from '../../internal-services.ts';
import { networkParts, networkView } from '../../ledger/network-parts.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import { VERSION } from '../../platform/version.ts';
import { defineFace, optional, route } from '../../plugin.ts';
import { Clock } from '../../services.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import { storeJob } from '../../storage/store-job.ts';
import { READS } from '../limits.ts';
import { Network, SPACE } from '../providers.ts';
import { online } from '../store/agents.ts';
import { agentCount, beaconCount, dealCount, interactionCount, paidTotal } from '../store/logs.ts';
import { organicEscrowsRef, organicTotalsRef, type StoredOrganicTotals } from '../store/organic.ts';
import { isoTime } from '../times.ts';
import { HeldEscrows } from './held-escrows.ts';
import { RisePerMinute } from './rise-per-minute.ts';

/** When this aggregator was first started: its counts are since then, whatever restarts there were. */
const started = collection<{ readonly at: number }>('started', { schema: () => [] });
const TOTALS = [agentCount, interactionCount, dealCount, paidTotal, beaconCount].map((counter) => counter.ref());
const SAMPLE_MS = 10_000;
const ESCROWS_MS = 5_000;

/** Facts about the service and the network as a whole. */
export const networkFace = defineFace({
  uses: { store: Store, clock: Clock, network: Network, settings: Settings, ledger: optional(Ledger) },
  routes: {
    version: route('GET /version', {
      auth: 'open',
      summary: 'The version of this service',
      reply: 'version',
      limit: READS,
    }),
    network: route('GET /network', {
      auth: 'open',
      summary: 'Which mesh this is: what a node must be configured with to take part in it',
      reply: 'network',
      limit: READS,
    }),
    network_stats: route('GET /stats/network', {
      auth: 'open',
      summary: 'How many agents, deals and ratings this aggregator knows, and how many agents are online',
      reply: 'network-stats',
      limit: READS,
    }),
  },
  async setup({ store, clock, network, settings, ledger }) {
    const mesh = networkView(network, networkParts(ledger, settings.network));
    const space: Space = store.space(SPACE);
    const ref = started.ref('first');
    const { value: startedAt } = await space.tx([ref], (tx) => {
      const at = tx.get(ref)?.at ?? clock.now();
      tx.put(ref, { at });
      return at;
    });
    const beacons = new RisePerMinute();
    const held = new HeldEscrows(space);
    return {
      routes: {
        version: () => ({ version: VERSION, sdk: VERSION, node: VERSION }),
        network: () => mesh,
        network_stats: async () => {
          const [totals, present, organic, organicHeld] = await Promise.all([
            space.totals(TOTALS),
            space.count(online),
            space.get(organicTotalsRef),
            space.get(organicEscrowsRef),
          ]);
          const escrows = held.view();
          const [agents, interactions, deals, paid, taken] = totals as [bigint, bigint, bigint, bigint, bigint];
          return {
            network: network.name,
            agent_count: Number(agents),
            interaction_count: Number(interactions),
            deal_count: Number(deals),
            volume_usdc: Number(formatUsdc(paid)),
            beacon_count: Number(taken),
            beacon_bpm: beacons.at(clock.now(), Number(taken)),
            online_count: present,
            started_at: isoTime(startedAt),
            organic: organic ? organicView(organic) : null,
            escrows: escrows && { ...escrows, organic: organicHeld ? organicHeldView(organicHeld) : null },
          };
        },
      },
      jobs: [
        storeJob(space, clock, {
          name: 'beacon-rate',
          every: SAMPLE_MS,
          first: 0,
          async run() {
            beacons.sample(clock.now(), Number(await space.total(beaconCount)));
            return Number.POSITIVE_INFINITY;
          },
        }),
        // Without a ledger there are no escrows, and the answer says null.
        ...(ledger
          ? [
              {
                name: 'held-escrows',
                every: ESCROWS_MS,
                first: 0,
                run: (signal: AbortSignal) => held.count(() => clock.now(), signal),
              },
            ]
          : []),
      ],
    };
  },
});

function organicView({ version, as_of, agents, ratings, payments, usdc }: StoredOrganicTotals) {
  return {
    version,
    as_of: isoTime(as_of),
    agent_count: agents,
    interaction_count: ratings,
    payment_count: payments,
    volume_usdc: Number(formatUsdc(BigInt(usdc))),
  };
}

function organicHeldView({ usdc, as_of, version, ...counts }: SchemaTypes['stored-organic-escrows']) {
  return {
    ...{ version, as_of: isoTime(as_of) },
    locked_count: counts.locked,
    delivered_count: counts.delivered,
    disputed_count: counts.disputed,
    held_usdc: Number(formatUsdc(BigInt(usdc))),
  };
}
