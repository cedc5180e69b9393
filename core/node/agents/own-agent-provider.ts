import { Identity, Ledger, Network } from '../../internal-services.ts';
import { optional } from '../../plugin.ts';
import { provider } from '../../provider.ts';
import { Clock, Contracts, Random } from '../../services.ts';
import { Means } from '../deals/means.ts';
import { Kept } from '../deliveries/providers.ts';
import { PartnerKeys } from '../partner-keys.ts';
import { OwnAgent } from '../services/agents.ts';
import { DealBook } from '../services/deal-book.ts';
import { InboxService } from '../services/inbox.ts';
import { Judges } from '../services/judging.ts';
import { Messaging, NodeSpace } from '../services/messaging.ts';
import { Negotiating } from '../services/negotiating.ts';
import { Partners } from '../services/partners.ts';
import { createAgent } from './agent.ts';

/** The first of the agents that live on this node: it has a wallet, and judges where a plugin keeps its cases. */
export const ownAgentProvider = provider(OwnAgent, {
  uses: {
    space: NodeSpace,
    inbox: InboxService,
    messages: Messaging,
    deals: DealBook,
    negotiation: Negotiating,
    identity: Identity,
    network: Network,
    contracts: Contracts,
    clock: Clock,
    random: Random,
    kept: Kept,
    partners: Partners,
    judges: Judges,
    partnerKeys: PartnerKeys,
    ledger: optional(Ledger),
  },
  open: (services, { settings, log }) => createAgent({ ...services, means: new Means(services.ledger), settings, log }),
});
