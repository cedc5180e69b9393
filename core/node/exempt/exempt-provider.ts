import { provider } from '../../provider.ts';
import { Clock } from '../../services.ts';
import { NodeSpace } from '../services/messaging.ts';
import { Exempt, ExemptAgents } from './exempt-agents.ts';

export const exemptProvider = provider(Exempt, {
  uses: { space: NodeSpace, clock: Clock },
  open: ({ space, clock }) => ExemptAgents.open(space, clock),
});
