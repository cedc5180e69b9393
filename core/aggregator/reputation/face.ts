import { MeshError } from '../../errors.ts';
import { defineFace, preparedJson, route } from '../../plugin.ts';
import { Clock, Store } from '../../ports.ts';
import type { Space } from '../../storage/space.ts';
import { View } from '../../storage/view.ts';
import { agentIdFrom } from '../agent-param.ts';
import { listLeaders } from '../agents/listing.ts';
import { epochsOf } from '../epochs.ts';
import { Pages } from '../pages.ts';
import { Network, SPACE } from '../ports.ts';
import { agents, type StoredAgent } from '../store/agents.ts';
import { moveFaded } from './fading.ts';
import { leaderOf, reputationOf, withRank } from './view.ts';

const HOUR = 3_600_000;

/** Scores with their explanation, and the order they make. */
export const reputationFace = defineFace({
  uses: { store: Store, network: Network, clock: Clock },
  routes: {
    agent_reputation: route('GET /reputation/:agent_id', {
      auth: 'open',
      summary: 'The score of an agent and where it comes from',
      params: { agent_id: 'agent-id' },
      reply: 'reputation',
    }),
    leaderboard: route('GET /leaderboard', {
      auth: 'open',
      summary: 'Rated agents, the best first',
      query: 'leaderboard-query',
      reply: 'leaderboard',
    }),
  },
  setup({ store, network, clock }) {
    const space: Space = store.space(SPACE);
    const epochs = epochsOf(network);
    const texts = new View((agent: StoredAgent, epoch) => JSON.stringify(leaderOf(agent, epoch)));
    const pages = new Pages<string>(space);
    return {
      routes: {
        agent_reputation: async ({ params }) => {
          const agent = await space.get(agents.ref(agentIdFrom(params.agent_id)));
          if (!agent) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
          return reputationOf(agent, epochs.at(clock.now()));
        },
        leaderboard: async ({ query: { limit = 50, offset = 0 } }) => {
          const epoch = epochs.at(clock.now());
          const text = await pages.of(`${limit} ${offset}`, epoch, async () => {
            const leaders = await listLeaders(space, { limit, offset });
            const items = leaders.map((agent, index) => withRank(offset + index + 1, texts.of(agent, epoch)));
            return `[${items.join()}]`;
          });
          return preparedJson(text);
        },
      },
      jobs: [
        {
          name: 'move-faded-agents',
          every: Math.min(HOUR, Math.max(1000, epochs.ms / 24)),
          first: 1000,
          run: async (signal) => void (await moveFaded(space, epochs, clock.now(), signal)),
        },
      ],
    };
  },
});
