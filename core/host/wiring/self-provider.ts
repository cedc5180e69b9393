import { Identity, Network } from '../../internal-services.ts';
import { agentNameOf } from '../../node/agent-name.ts';
import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import { provider } from '../../provider.ts';
import { Self } from '../../services.ts';

/** The id of the configuration where it is not the key. */
function claimedBy(id: string | undefined, key: string): { claimedId?: string } {
  const claimed = id === undefined ? undefined : parseAgentId(id);
  if (!claimed || formatAgentId(claimed) === key) return {};
  return { claimedId: formatAgentId(claimed) };
}

export const selfProvider = provider(Self, {
  uses: { identity: Identity, network: Network },
  open: ({ identity, network }, { settings, profile, url }) => ({
    id: identity.address,
    address: identity.address,
    ...claimedBy(settings.agent.id, identity.address),
    name: agentNameOf(settings, identity),
    network: network.name,
    envelopeVersion: network.version,
    profile,
    aggregators: settings.mesh.aggregators ?? [],
    url: () => url(),
  }),
});
