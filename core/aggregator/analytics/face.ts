import { Store } from '../../internal-services.ts';
import { defineFace, route } from '../../plugin.ts';
import { Clock, Random } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { epochsOf } from '../epochs.ts';
import { READS } from '../limits.ts';
import { Network, SPACE } from '../providers.ts';
import { behaviourRef, standings, stateRef, sumsRef } from '../store/analytics.ts';
import { AnalyticsJob } from './analytics-job.ts';
import { clustersIn, entropyIn, historyOf, knownAgent, measuredIn } from './reading.ts';
import { calibratedView, concentrationView, entropyView, riskView, rollingView } from './view.ts';

const LIMIT = 50;
const EPOCHS = 30;
const WINDOW = 10;
const RESTART_MS = 1_000;

/** How varied agents' work is, who belongs together, and what that says about the network (docs/analytics.md). */
export const analyticsFace = defineFace({
  uses: { store: Store, network: Network, clock: Clock, random: Random },
  routes: {
    anomaly_leaderboard: route('GET /leaderboard/anomaly', {
      auth: 'open',
      summary: 'Agents by anomaly, the most anomalous first',
      query: 'analytics-list-query',
      reply: 'anomalies',
      limit: READS,
    }),
    verifier_concentration: route('GET /leaderboard/verifier-concentration', {
      auth: 'open',
      summary: 'Agents on whose work few others give the VERDICTs, the most concentrated first',
      query: 'analytics-list-query',
      reply: 'verifier-concentrations',
      limit: READS,
    }),
    ownership_clusters: route('GET /leaderboard/ownership-clusters', {
      auth: 'open',
      summary: 'Agents that belong together, by owner and by behaviour',
      query: 'ownership-clusters-query',
      reply: 'ownership-clusters',
      limit: READS,
    }),
    agent_entropy: route('GET /entropy/:agent_id', {
      auth: 'open',
      summary: "How varied an agent's work was in its last closed epoch that can be judged",
      params: { agent_id: 'agent-id' },
      reply: 'entropy',
      limit: READS,
    }),
    agent_entropy_history: route('GET /entropy/:agent_id/history', {
      auth: 'open',
      summary: "An agent's epochs, the newest first",
      params: { agent_id: 'agent-id' },
      query: 'entropy-history-query',
      reply: 'entropies',
      limit: READS,
    }),
    agent_entropy_rolling: route('GET /entropy/:agent_id/rolling', {
      auth: 'open',
      summary: "Mean and variance of an agent's anomaly over its last epochs",
      params: { agent_id: 'agent-id' },
      query: 'entropy-rolling-query',
      reply: 'entropy-rolling',
      limit: READS,
    }),
    calibrated_parameters: route('GET /params/calibrated', {
      auth: 'open',
      summary: 'The parameters that the anomalies of the network suggest',
      reply: 'calibrated-parameters',
      limit: READS,
    }),
    systemic_risk: route('GET /system/sri', {
      auth: 'open',
      summary: 'The systemic risk index: the share of agents that are flagged',
      reply: 'systemic-risk',
      limit: READS,
    }),
  },
  setup({ store, network, clock, random }) {
    const space: Space = store.space(SPACE);
    const epochs = epochsOf(network);
    const job = new AnalyticsJob({ space, epochs, clock, random });
    return {
      routes: {
        anomaly_leaderboard: async ({ query: { limit = LIMIT, offset = 0 } }) => {
          const rows = await space.page(standings, { index: 'anomaly', limit, offset });
          return rows.map(({ id, value }) => entropyView(id, value.latest!, true));
        },
        verifier_concentration: async ({ query: { limit = LIMIT, offset = 0 } }) => {
          const rows = await space.page(standings, { index: 'verifiers', limit, offset });
          return rows.map(({ value }) => concentrationView(value));
        },
        ownership_clusters: ({ query: { by, limit = LIMIT, offset = 0 } }) => clustersIn(space, { by, limit, offset }),
        agent_entropy: async ({ params }) =>
          entropyIn(space, await knownAgent(space, params.agent_id), epochs.at(clock.now())),
        agent_entropy_history: async ({ params, query: { limit = EPOCHS, before } }) =>
          historyOf(space, await knownAgent(space, params.agent_id), { limit, before }),
        agent_entropy_rolling: async ({ params, query: { window = WINDOW } }) => {
          const id = await knownAgent(space, params.agent_id);
          const state = await space.get(stateRef);
          const found = await measuredIn(space, id, { window, closed: state?.closed ?? 0 });
          return rollingView(id, window, found, state);
        },
        calibrated_parameters: async () => {
          const [sums, state, alike] = await Promise.all([
            space.get(sumsRef),
            space.get(stateRef),
            space.get(behaviourRef),
          ]);
          return calibratedView(sums, alike?.coordination ?? 0, state);
        },
        systemic_risk: async () => riskView(...(await Promise.all([space.get(sumsRef), space.get(stateRef)]))),
      },
      jobs: [
        {
          name: 'analytics',
          every: RESTART_MS,
          first: 0,
          endless: true,
          once: true,
          run: (signal) => job.follow(signal),
        },
      ],
    };
  },
});
