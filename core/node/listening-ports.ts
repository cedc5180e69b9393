import { HttpNetwork, Identity, Mesh } from '../internal-services.ts';
import { type Port, port } from '../provider.ts';
import { Clock } from '../services.ts';
import { aggregatorsOf } from './report-to.ts';
import { Scores, ScoreWatch } from './score-watch.ts';
import { Heard, HeardBroadcasts } from './services/broadcasts.ts';
import { NodeSpace } from './services/messaging.ts';
import { Events, NodeEvents } from './services/node-events.ts';
import { AddressBook, PeerDirectory } from './services/peers.ts';
import { TopicSubscriptions, Topics } from './topics.ts';

const eventsPort = port(Events, { uses: { clock: Clock }, open: ({ clock }) => new NodeEvents(clock) });

const addressBookPort = port(AddressBook, {
  uses: { space: NodeSpace, clock: Clock },
  open: ({ space, clock }) => new PeerDirectory(space, clock),
});

const topicsPort = port(Topics, {
  uses: { space: NodeSpace, mesh: Mesh, clock: Clock },
  open: (services, { settings }) => TopicSubscriptions.open({ ...services, configured: settings.mesh.topics ?? [] }),
});

const heardPort = port(Heard, { open: () => new HeardBroadcasts() });

const scoresPort = port(Scores, {
  uses: { space: NodeSpace, events: Events, identity: Identity, clock: Clock, http: HttpNetwork },
  open({ identity, http, ...services }, { settings }) {
    const aggregators = aggregatorsOf(settings, { clock: services.clock, fetch: http.fetch });
    return new ScoreWatch({ ...services, aggregators, self: identity.address });
  },
});

/** Whom and what a node hears, and who is told of it. */
export const listeningPorts: readonly Port[] = [eventsPort, addressBookPort, topicsPort, heardPort, scoresPort];
