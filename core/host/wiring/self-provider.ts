import { Identity, Network } from '../../internal-services.ts';
import { agentNameOf } from '../../node/agent-name.ts';
import { provider } from '../../provider.ts';
import { Self } from '../../services.ts';

export const selfProvider = provider(Self, {
  uses: { identity: Identity, network: Network },
  open: ({ identity, network }, { settings, profile, url }) => ({
    id: identity.address,
    address: identity.address,
    name: agentNameOf(settings, identity),
    network: network.name,
    envelopeVersion: network.version,
    profile,
    url: () => url(),
  }),
});
