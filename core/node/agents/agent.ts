import type { Contracts } from '../../contracts/contracts.ts';
import type { Settings } from '../../internal-services.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Inbox } from '../../messaging/inbox.ts';
import type { Messages } from '../../messaging/messages.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { AgentIdentity } from '../../protocol/signer/identity.ts';
import type { DealView, Judge } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import type { DealBook } from '../deals/deal-book.ts';
import type { DealDocument } from '../deals/deal-document.ts';
import { dealView } from '../deals/deal-view.ts';
import type { Means } from '../deals/means.ts';
import type { Negotiation } from '../deals/negotiation.ts';
import type { Partners } from '../deals/partners.ts';
import type { KeptBlobs } from '../deliveries/kept-blobs.ts';
import type { GiveFeedbackOptions } from '../give-feedback.ts';
import type { PartnerKeys } from '../partner-keys.ts';
import { Ratings } from '../ratings.ts';
import { Speech } from '../speech.ts';

/** One agent of this node, its own or a hosted one: its part of the store, and what it says, hears and agrees to. */
export interface Agent {
  readonly space: Space;
  readonly inbox: Inbox;
  readonly messages: Messages;
  readonly deals: DealBook;
  readonly negotiation: Negotiation;
  readonly rating: GiveFeedbackOptions;
  readonly speech: Speech;
  readonly view: (document: DealDocument) => DealView;
}

export interface AgentParts extends Pick<Agent, 'space' | 'inbox' | 'messages' | 'deals' | 'negotiation'> {
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly settings: Settings;
  readonly contracts: Contracts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly kept: Pick<KeptBlobs, 'keep'>;
  readonly means: Means;
  /** The money of the agent; a hosted one has none. */
  readonly ledger: Ledger | undefined;
  /** Refuses an offer beyond what the agent may agree to. */
  readonly partners: Pick<Partners, 'check'>;
  /** Knows the deals that the agent is the notary of; there are none without it. */
  readonly judges?: Judge;
  /** Finds the key of an agent that is named by its asset, and is asked before the agent binds itself by ACCEPT. */
  readonly partnerKeys: Pick<PartnerKeys, 'check' | 'named'>;
}

/** Puts an agent together. Nothing below it knows another agent's key, store or deals. */
export function createAgent({ judges, ...parts }: AgentParts): Agent {
  const { space, inbox, messages, deals, negotiation, identity, network, clock, means, ledger } = parts;
  const ratings = new Ratings({ ...parts, ...(judges && { judges }) });
  return {
    ...{ space, inbox, messages, deals, negotiation },
    rating: { ratings, messages, identity, network, means },
    speech: new Speech({ ...parts, ratings, ...(judges && { judge: judges }) }),
    view: (document) => dealView(document, identity.address, clock.now(), ledger, means),
  };
}
