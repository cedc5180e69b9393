import { HttpNetwork, Identity, Mesh } from '../internal-services.ts';
import { type Provider, provider } from '../provider.ts';
import { Clock } from '../services.ts';
import { PartnerKeys, PartnerKeysOfNode } from './partner-keys.ts';
import { aggregatorsOf } from './report-to.ts';
import { Scores, ScoreWatch } from './score-watch.ts';
import { Heard, HeardBroadcasts } from './services/broadcasts.ts';
import { NodeSpace } from './services/messaging.ts';
import { Events, NodeEvents } from './services/node-events.ts';
import { AddressBook, PeerDirectory } from './services/peers.ts';
import { TopicSubscriptions, Topics } from './topics.ts';

const eventsProvider = provider(Events, { uses: { clock: Clock }, open: ({ clock }) => new NodeEvents(clock) });

const addressBookProvider = provider(AddressBook, {
  uses: { space: NodeSpace, clock: Clock },
  open: ({ space, clock }) => new PeerDirectory(space, clock),
});

const topicsProvider = provider(Topics, {
  uses: { space: NodeSpace, mesh: Mesh, clock: Clock },
  open: (services, { settings }) => TopicSubscriptions.open({ ...services, configured: settings.mesh.topics ?? [] }),
});

/** A face hands the registry in, since plugins are set up later. */
const partnerKeysProvider = provider(PartnerKeys, { open: () => new PartnerKeysOfNode() });

const heardProvider = provider(Heard, { open: () => new HeardBroadcasts() });

const scoresProvider = provider(Scores, {
  uses: { space: NodeSpace, events: Events, identity: Identity, clock: Clock, http: HttpNetwork },
  open({ identity, http, ...services }, { settings }) {
    const aggregators = aggregatorsOf(settings, { clock: services.clock, fetch: http.fetch });
    return new ScoreWatch({ ...services, aggregators, self: identity.address });
  },
});

/** Whom and what a node hears, and who is told of it. */
export const listeningProviders: readonly Provider[] = [
  eventsProvider,
  addressBookProvider,
  topicsProvider,
  heardProvider,
  partnerKeysProvider,
  scoresProvider,
];
