import { Identity } from '../../internal-services.ts';
import { provider } from '../../provider.ts';
import { Clock } from '../../services.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Partners as PartnersToken } from '../services/partners.ts';
import { dealsSettings, partnerLimits } from './deals-config.ts';
import { Partners } from './partners.ts';

export const partnersProvider = provider(PartnersToken, {
  uses: { space: NodeSpace, identity: Identity, clock: Clock },
  open: ({ space, identity, clock }, { settings }) =>
    new Partners({
      ...{ space, self: identity.address, now: () => clock.now() },
      limits: partnerLimits(dealsSettings(settings)),
    }),
});
