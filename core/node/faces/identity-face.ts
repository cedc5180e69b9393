import { Identity, Network, Settings } from '../../internal-services.ts';
import { toHex } from '../../platform/bytes.ts';
import { definePlugin, route } from '../../plugin.ts';
import { epochOf } from '../../protocol/envelopes/epochs.ts';
import { Clock } from '../../services.ts';
import { agentNameOf } from '../agent-name.ts';
import { READS } from '../limits.ts';
import { Leases } from '../services/behavior.ts';

/** The identity of this node. */
export const identityFace = definePlugin({
  name: 'identity',
  api: '2.0',
  summary: "The agent's own key, name and tokens.",
  node: {
    uses: { identity: Identity, network: Network, settings: Settings, clock: Clock, leases: Leases },
    routes: {
      identity: route('GET /identity', {
        auth: 'api-read',
        limit: READS,
        summary: 'Who this node is.',
        reply: 'identity',
      }),
    },
    setup({ identity, network, settings, clock, leases }) {
      return {
        routes: {
          identity: async () => ({
            agent_id: identity.address,
            agent_id_hex: toHex(identity.key),
            name: agentNameOf(settings, identity),
            address: identity.address,
            network_id: network.name,
            envelope_version: network.version,
            epoch: epochOf(clock.now() * 1_000, network.epochSecs),
            lease_status: await leases.of(identity.address),
          }),
        },
      };
    },
  },
});
