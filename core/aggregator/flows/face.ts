import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import { Store } from '../../internal-services.ts';
import { defineFace, preparedJson, route } from '../../plugin.ts';
import { Clock, Random } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { storeJob } from '../../storage/store-job.ts';
import { View } from '../../storage/view.ts';
import { agentIdFrom } from '../agent-param.ts';
import { READS } from '../limits.ts';
import { Pages } from '../pages.ts';
import { SPACE } from '../providers.ts';
import { listSeries, rangeOf } from '../series/listing.ts';
import { agents } from '../store/agents.ts';
import {
  FLOW_KINDS,
  flowAgents,
  flowClusterRef,
  flowClusters,
  flowMemberRef,
  flows,
  type StoredFlow,
  type StoredFlowCluster,
} from '../store/flows.ts';
import { coordination } from './clusters.ts';
import { Digest } from './digest.ts';
import { NO_STANDING } from './standing.ts';
import { FLOW_WINDOWS, flowIn } from './sums.ts';
import { amountOf, clusterView, concentration, edgeOf, type FlowEdge, kindOf } from './view.ts';

const EVERY = 1_000;
const COUNTERPARTIES = 5;

/** Shows who paid and rated whom, and what happened when. Kept by a job that follows the logs. */
export const flowsFace = defineFace({
  uses: { store: Store, clock: Clock, random: Random },
  routes: {
    graph_flow: route('GET /graph/flow', {
      auth: 'open',
      summary: 'Who paid whom, and who praised whom where no payment is known; each edge says which',
      query: 'graph-flow-query',
      reply: 'flow-edges',
      limit: READS,
    }),
    graph_clusters: route('GET /graph/clusters', {
      auth: 'open',
      summary: 'Groups of agents between whom money or praise goes both ways in like amounts, the largest first',
      query: 'graph-clusters-query',
      reply: 'flow-clusters',
      limit: READS,
    }),
    graph_agent: route('GET /graph/agent/:agent_id', {
      auth: 'open',
      summary: "An agent's part of the flow graph: its strongest edges both ways, and how much hangs on few of them",
      params: { agent_id: 'agent-id' },
      query: 'graph-agent-query',
      reply: 'agent-flow',
      errors: ['not_found'],
      limit: READS,
    }),
    timeseries: route('GET /stats/timeseries', {
      auth: 'open',
      summary: 'Joins, deals, ratings, disputes and settled USDC by hour or day: raw figures, and what counts of them',
      query: 'timeseries-query',
      reply: 'timeseries',
      limit: READS,
    }),
  },
  setup({ store, clock, random }, { defer }) {
    const space: Space = store.space(SPACE);
    const digest = new Digest({ space, clock, random });
    defer(() => digest.close());
    const edges = new View((flow: StoredFlow, window: number) => JSON.stringify(edgeOf(flow, FLOW_WINDOWS[window]!)));
    const clusters = new View((cluster: StoredFlowCluster) => JSON.stringify(clusterView(cluster)));
    const pages = new Pages<string>(space);
    return {
      routes: {
        graph_flow: async ({ query: { window = '30d', kind, limit = 500, offset = 0 } }) => {
          const prefix = kind === undefined ? [window] : [window, FLOW_KINDS[kind]];
          const part = { limit, ...(offset > 0 && { offset }) };
          const text = await pages.of(`flow ${prefix} ${limit} ${offset}`, 0, async () => {
            const rows = await space.page(flows, { index: 'top', prefix, ...part });
            const place = FLOW_WINDOWS.indexOf(window);
            return `[${rows.map(({ value }) => edges.of(value, place)).join()}]`;
          });
          return preparedJson<FlowEdge[]>(text);
        },
        graph_clusters: async ({ query: { window = '30d', limit = 50, offset = 0 } }) => {
          const part = { limit, ...(offset > 0 && { offset }) };
          const text = await pages.of(`clusters ${window} ${limit} ${offset}`, 0, async () => {
            const rows = await space.page(flowClusters, { index: 'large', prefix: [window], ...part });
            return `[${rows.map(({ value }) => clusters.of(value)).join()}]`;
          });
          return preparedJson<SchemaTypes['flow-clusters']>(text);
        },
        graph_agent: async ({ params, query: { window = '30d', limit = 50 } }) => {
          const id = agentIdFrom(params.agent_id);
          const [agent, standing, member, outgoing, incoming] = await Promise.all([
            space.get(agents.ref(id)),
            space.get(flowAgents.ref(id)),
            space.get(flowMemberRef(window, id)),
            space.page(flows, {
              index: 'from',
              prefix: [id, window],
              limit: Math.max(limit, COUNTERPARTIES),
              once: true,
            }),
            space.page(flows, { index: 'to', prefix: [id, window], limit, once: true }),
          ]);
          if (!agent && !standing) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
          const { given, got } = (standing?.windows ?? NO_STANDING)[window];
          const cluster = member && (await space.get(flowClusterRef(window, member.cluster_id)));
          const sums = outgoing.map(({ value }) => ({ agent_id: value.to, sum: flowIn(value, window) }));
          return {
            ...{ agent_id: id, window, kind: kindOf(given), cluster_id: cluster?.cluster_id ?? null },
            c_coefficient: coordination(cluster?.agent_count ?? 1),
            concentration_ratio: concentration(
              given,
              sums.map(({ sum }) => sum),
            ),
            top_counterparties: sums
              .slice(0, COUNTERPARTIES)
              .map(({ agent_id, sum }) => ({ agent_id, kind: kindOf(sum), flow: amountOf(sum) })),
            total_outgoing_flow: amountOf(given),
            total_incoming_flow: amountOf(got),
            unique_counterparties: given.counterparties,
            unique_payers: got.counterparties,
            outgoing: outgoing.slice(0, limit).map(({ value }) => edgeOf(value, window)),
            incoming: incoming.map(({ value }) => edgeOf(value, window)),
          };
        },
        timeseries: async ({ query }) => {
          const range = rangeOf(query, clock.now());
          const { unit, first, end } = range;
          const text = await pages.of(`series ${unit} ${first} ${end}`, 0, async () =>
            JSON.stringify(await listSeries(space, range)),
          );
          return preparedJson<SchemaTypes['timeseries']>(text);
        },
      },
      jobs: [
        storeJob(space, clock, {
          name: 'flows',
          every: EVERY,
          first: 0,
          once: true,
          async run(signal) {
            while (await digest.run(signal)) await clock.sleep(1, signal);
            return digest.due;
          },
        }),
      ],
    };
  },
});
