import { Mesh, Network } from '../../internal-services.ts';
import { definePlugin, route } from '../../plugin.ts';
import { epochOf } from '../../protocol/envelopes/epochs.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { READS } from '../limits.ts';
import { Leases } from '../services/behavior.ts';
import { AddressBook } from '../services/peers.ts';

const MOST = 200;

/** Whom this node knows. */
export const peersFace = definePlugin({
  name: 'peers',
  api: '2.0',
  summary: 'Agents that this node knows of.',
  node: {
    uses: { peers: AddressBook, mesh: Mesh, network: Network, leases: Leases },
    routes: {
      peers: route('GET /peers', {
        auth: 'api-read',
        limit: READS,
        summary: 'The peers heard of most recently, those with a session first, with their lease status.',
        query: 'peers-query',
        reply: 'peers',
      }),
    },
    setup({ peers, mesh, network, leases }) {
      return {
        routes: {
          async peers({ query: { limit = MOST, offset = 0 } }) {
            const sessions = new Map(mesh.peers().map((peer) => [formatAgentId(peer.key), peer]));
            const known = new Map((await peers.recent(offset + limit)).map(({ key, peer }) => [key, peer]));
            const keys = [...new Set([...sessions.keys(), ...known.keys()])].slice(offset, offset + limit);
            const standings = await leases.ofMany(keys);
            return keys.map((key) => {
              const session = sessions.get(key);
              const record = known.get(key);
              const seen = Math.max(session?.lastSeen ?? 0, record?.seen_at ?? 0);
              return {
                agent_id: key,
                name: record?.name ?? session?.name ?? '',
                url: record?.url ?? session?.url ?? null,
                hub: session?.hub ?? false,
                connected: session?.state === 'open',
                last_seen: new Date(seen).toISOString(),
                last_active_epoch: epochOf(seen * 1_000, network.epochSecs),
                lease_status: standings.get(key)!,
              };
            });
          },
        },
      };
    },
  },
});
