import { MeshError } from '../../contracts/errors.ts';
import { Store } from '../../internal-services.ts';
import { type Context, defineFace, preparedJson, route, typed } from '../../plugin.ts';
import { normaliseAgentId } from '../../protocol/identity/ids.ts';
import { VERSION } from '../../protocol/reputation/parameters.ts';
import { Clock, Random } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { storeJob } from '../../storage/store-job.ts';
import { View } from '../../storage/view.ts';
import { agentIdFrom } from '../agent-param.ts';
import { listLeaders } from '../agents/listing.ts';
import { epochsOf } from '../epochs.ts';
import { READS } from '../limits.ts';
import { Pages } from '../pages.ts';
import { Network, SPACE } from '../providers.ts';
import { OrganicEscrows } from '../series/organic-escrows.ts';
import { OrganicJob } from '../series/organic-job.ts';
import { agents, type StoredAgent } from '../store/agents.ts';
import { explanations, lastRunRef } from '../store/scores.ts';
import { ScoreJob } from './score-job.ts';
import { upgradeScores } from './upgrade.ts';
import { allScoredAs, leaderOf, reputationOf, scoredAs, withRank } from './view.ts';

export interface ReputationConfig {
  readonly anchors: string[];
}

/** The `reputation` object under `core` of plugins.json. */
export const reputationConfig = typed<ReputationConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    anchors: {
      description:
        'Agents that are ordinary buyers: what they spend is where trust begins. Many small ones; anybody can read them.',
      type: 'array',
      items: { $ref: 'common.json#/$defs/agent-id' },
      maxItems: 1000,
      uniqueItems: true,
      default: [],
    },
  },
});

const NO_ANCHORS =
  'reputation: no anchors, so paid work is worth at most 9 points and free rings cannot be told from honest trade; list ordinary buyers in core.reputation.anchors';
const RESTART_MS = 1_000;
const ORGANIC_MS = 1_000;

/** Scores with their explanation, and the order they make. */
export const reputationFace = defineFace({
  uses: { store: Store, network: Network, clock: Clock, random: Random },
  routes: {
    reputation_anchors: route('GET /reputation/anchors', {
      auth: 'open',
      summary: 'The ordinary buyers where trust begins',
      reply: 'anchors',
      limit: READS,
    }),
    agent_reputation: route('GET /reputation/:agent_id', {
      auth: 'open',
      summary: 'The score of an agent and where it comes from',
      params: { agent_id: 'agent-id' },
      reply: 'reputation',
      limit: READS,
    }),
    leaderboard: route('GET /leaderboard', {
      auth: 'open',
      summary: 'Rated agents, the best first',
      query: 'leaderboard-query',
      reply: 'leaderboard',
      limit: READS,
    }),
  },
  async setup({ store, network, clock, random }, { config, note }: Context<ReputationConfig>) {
    const space: Space = store.space(SPACE);
    const epochs = epochsOf(network);
    const anchors = config.anchors.map((id) => normaliseAgentId(id)!);
    if (anchors.length === 0) note(NO_ANCHORS);
    else note(`reputation: trust begins at ${anchors.length} ${anchors.length === 1 ? 'anchor' : 'anchors'}`);
    const upgraded = await upgradeScores(space, epochs);
    if (upgraded > 0)
      note(`reputation: what version 1 kept of ${upgraded} agents is now version 2; they are scored anew`);
    const job = new ScoreJob({ space, epochs, clock, random, anchors });
    const organic = new OrganicJob({ space, clock, scores: job });
    const held = new OrganicEscrows({ space, clock, scores: job });
    const texts = new View((agent: StoredAgent) => JSON.stringify(leaderOf(agent)));
    const pages = new Pages<string>(space);
    return {
      routes: {
        reputation_anchors: () => ({ version: VERSION, anchors }),
        agent_reputation: async ({ params }) => {
          const id = agentIdFrom(params.agent_id);
          const refs = [agents.ref(id), explanations.ref(id), lastRunRef] as const;
          const [agent, found, run] = await Promise.all([space.get(refs[0]), space.get(refs[1]), space.get(refs[2])]);
          if (!agent) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
          return reputationOf(agent, found, run, { anchors: anchors.length, epoch: epochs.at(clock.now()) });
        },
        leaderboard: async ({ query: { limit = 50, offset = 0 } }) => {
          const text = await pages.of(`${limit} ${offset}`, 0, async () => {
            const as = scoredAs(await space.get(lastRunRef));
            const leaders = await listLeaders(space, { limit, offset });
            const rows = allScoredAs(
              as,
              leaders.map((agent) => texts.of(agent)),
            );
            return `[${rows.map((text, index) => withRank(offset + index + 1, text)).join()}]`;
          });
          return preparedJson(text);
        },
      },
      jobs: [
        { name: 'scores', every: RESTART_MS, first: 0, endless: true, once: true, run: (signal) => job.follow(signal) },
        storeJob(space, clock, {
          name: 'organic-figures',
          every: ORGANIC_MS,
          once: true,
          async run(signal) {
            await organic.run(signal);
            return organic.due;
          },
        }),
        storeJob(space, clock, {
          name: 'organic-escrows',
          every: ORGANIC_MS,
          once: true,
          async run(signal) {
            await held.run(signal);
            return held.due;
          },
        }),
      ],
    };
  },
});
