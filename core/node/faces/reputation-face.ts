import { MeshError } from '../../contracts/errors.ts';
import { HttpNetwork, Network, Settings } from '../../internal-services.ts';
import { definePlugin, route } from '../../plugin.ts';
import { epochOf } from '../../protocol/envelopes/epochs.ts';
import { Clock, Contracts } from '../../services.ts';
import { READS } from '../limits.ts';
import { aggregatorsOf } from '../report-to.ts';
import { AggregatorsWord } from '../reputation/aggregators-word.ts';
import { ownExperience } from '../reputation/own-experience.ts';
import { vectorOf } from '../reputation/vector.ts';
import { agentIdOf } from '../requests/addresses.ts';
import { NodeSpace } from '../services/messaging.ts';
import { AddressBook } from '../services/peers.ts';

/** Shows what this node and its aggregators know of an agent's reputation. */
export const reputationFace = definePlugin({
  name: 'reputation',
  api: '2.0',
  summary: 'The reputation of agents: this node’s own experience beside the word of each aggregator.',
  node: {
    uses: {
      space: NodeSpace,
      peers: AddressBook,
      network: Network,
      settings: Settings,
      contracts: Contracts,
      clock: Clock,
      http: HttpNetwork,
    },
    routes: {
      reputation: route('GET /reputation/:agent_id', {
        auth: 'api-read',
        limit: READS,
        summary:
          'An agent’s reputation vector: score, components, confidence and decay by an aggregator, and this node’s own deals and ratings with it.',
        params: { agent_id: 'agent-id' },
        reply: 'reputation-vector',
        errors: ['not_found'],
      }),
    },
    setup({ space, peers, network, settings, contracts, clock, http }) {
      const urls = settings.mesh.aggregators ?? [];
      const clients = aggregatorsOf(settings, { clock, fetch: http.fetch });
      const aggregators = urls.map((url, index) => ({ url, client: clients[index]! }));
      const word = new AggregatorsWord({ aggregators, contracts, clock });
      return {
        routes: {
          async reputation({ params }) {
            const agent_id = agentIdOf(params.agent_id, '/agent_id');
            const [own, words, peer] = await Promise.all([
              ownExperience(space, agent_id),
              word.about(agent_id),
              peers.get(agent_id),
            ]);
            const heardIn = peer && epochOf(peer.seen_at * 1_000, network.epochSecs);
            const vector = vectorOf(agent_id, { own, aggregators: words, heardIn });
            if (vector) return vector;
            throw new MeshError('not_found', `Neither this node nor its aggregators have heard of ${agent_id}.`);
          },
        },
      };
    },
  },
});
