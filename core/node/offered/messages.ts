import { RateLimiter } from '../../http/limits.ts';
import { Identity, Network } from '../../internal-services.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { Clock, Messages, Random } from '../../services.ts';
import { STEPS } from '../limits.ts';
import { sayingsOf } from '../sayings.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';

/** Sends for plugins what is no step of a deal, through the same outbox as everything else. */
export const messagesProvider = provider(Messages, {
  uses: { messages: Messaging, space: NodeSpace, identity: Identity, network: Network, clock: Clock, random: Random },
  open({ clock, ...agent }) {
    const said = sayingsOf(agent, new RateLimiter(STEPS, clock));
    return new PerPlugin<Messages>(({ name }) => said(name));
  },
});
