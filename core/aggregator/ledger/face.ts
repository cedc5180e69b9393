import { invalidField, MeshError } from '../../contracts/errors.ts';
import { ExtensionPoints, Ledger, Store } from '../../internal-services.ts';
import { defineFace, optional, route, stream } from '../../plugin.ts';
import { Clock, Metrics } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import { riskOf } from '../analytics/risk.ts';
import { epochsOf } from '../epochs.ts';
import { Evidence } from '../evidence/journal.ts';
import { OPENINGS, READS } from '../limits.ts';
import { LiveFeed } from '../live/feed.ts';
import { Network, SPACE } from '../providers.ts';
import { agents } from '../store/agents.ts';
import { escrows, ledgerEvents, positions, stakes } from '../store/ledger.ts';
import { readStakes } from './account-reader.ts';
import { chosenEvents } from './chosen-events.ts';
import { readEscrows } from './escrow-reader.ts';
import { Indexer } from './indexer.ts';
import { requiredStake } from './required-stake.ts';
import { sweepAfterGap } from './sweep.ts';
import { escrowView, leaseOf, ledgerEvent, stakeView } from './view.ts';

const EVERY = 2_000;
const LIMIT = 50;

/** The events of the settlement program, indexed from finalised history: escrows, stakes, leases, batches, slashes. */
export const ledgerFace = defineFace({
  uses: {
    store: Store,
    network: Network,
    clock: Clock,
    metrics: Metrics,
    plugins: ExtensionPoints,
    ledger: optional(Ledger),
    evidence: Evidence,
  },
  routes: {
    ledger_status: route('GET /ledger', {
      auth: 'open',
      summary: 'Which settlement program this aggregator reads, and whether its history is complete',
      reply: 'ledger-status',
      limit: READS,
    }),
    ledger_events: route('GET /ledger/events', {
      auth: 'open',
      summary: 'What the settlement program did, newest first',
      query: 'ledger-events-query',
      reply: 'ledger-events',
      limit: READS,
    }),
    watch_ledger: stream('/ws/ledger', {
      auth: 'open',
      summary:
        'Events of the settlement program as they are indexed, all or those of an agent, a conversation or both; with since, everything behind that event first',
      query: 'ledger-stream-query',
      frame: 'ledger-event',
      limit: OPENINGS,
    }),
    conversation_escrows: route('GET /escrows/:conversation_id', {
      auth: 'open',
      summary: 'Money locked under a conversation',
      params: { conversation_id: 'conversation-id' },
      query: 'escrows-query',
      reply: 'escrows',
      limit: READS,
    }),
    agent_escrows: route('GET /agents/:agent_id/escrows', {
      auth: 'open',
      summary: 'Money locked by or for an agent',
      params: { agent_id: 'agent-id' },
      query: 'escrows-query',
      reply: 'escrows',
      limit: READS,
    }),
    agent_stake: route('GET /agents/:agent_id/stake', {
      auth: 'open',
      summary: 'Stake, lease, duties and batches of an agent',
      params: { agent_id: 'agent-id' },
      reply: 'agent-stake',
      limit: READS,
    }),
    required_stake: route('GET /stake/required/:agent_id', {
      auth: 'open',
      summary: 'What an agent should have staked, and what it has',
      params: { agent_id: 'agent-id' },
      reply: 'stake-required',
      errors: ['not_found'],
      limit: READS,
    }),
  },
  async setup({ store, network, clock, metrics, plugins, ledger, evidence }, { log, signal, defer }) {
    const space: Space = store.space(SPACE);
    const feed = new LiveFeed(space, { log: ledgerEvents, eventOf: ledgerEvent });
    defer(await feed.start(clock, log, signal));
    const settlement = ledger?.settlement;
    const config = settlement?.deployment.config;
    const stakeOf = async (text: string) => {
      const agentId = agentIdFrom(text);
      return { agentId, stored: await space.get(stakes.ref(agentId)) };
    };
    const pageOf = async (index: 'conversation' | 'agent', id: string, limit = LIMIT, offset = 0) => {
      const rows = await space.page(escrows, { index, prefix: [id], limit, ...(offset > 0 && { offset }) });
      return rows.map(({ value }) => escrowView(value));
    };
    const parts = settlement && {
      ...{ space, settlement, log, plugins, evidence },
      epochs: epochsOf(network),
      indexed: metrics.counter('mesh_ledger_events_total', 'Indexed events of the settlement program.', ['event']),
      dropped: metrics.counter('mesh_feedback_dropped_total', 'Feedback that had no effect.', ['reason']),
    };
    const indexer = parts && new Indexer(parts);
    return {
      routes: {
        ledger_status: async () => {
          const position = config === undefined ? undefined : await space.get(positions.ref(config));
          return {
            cluster: ledger?.cluster.name ?? 'none',
            program: settlement?.deployment.programId ?? null,
            config: config ?? null,
            gaps: position?.gaps ?? 0,
            complete: (position?.sweep ?? null) === null,
          };
        },
        ledger_events: async ({ query: { limit = LIMIT, before, ...filter } }) => {
          const posting = eventPosting(filter);
          return (await space.page(ledgerEvents, { limit, before, posting })).map(ledgerEvent);
        },
        watch_ledger({ query, signal: gone }) {
          const chosen = chosenEvents(space, query);
          return chosen ? feed.matching(chosen, query.since, gone) : feed.frames(query.since, gone);
        },
        conversation_escrows: ({ params, query }) =>
          pageOf('conversation', params.conversation_id.toLowerCase(), query.limit, query.offset),
        agent_escrows: ({ params, query }) => pageOf('agent', agentIdFrom(params.agent_id), query.limit, query.offset),
        agent_stake: async ({ params }) => {
          const { agentId, stored } = await stakeOf(params.agent_id);
          return stakeView(agentId, stored, leaseOf(stored, settlement, clock.now()));
        },
        required_stake: async ({ params }) => {
          const { agentId, stored } = await stakeOf(params.agent_id);
          const agent = await space.get(agents.ref(agentId));
          if (!agent && !stored) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
          const abandoned = agent?.standing.counts.abandoned ?? 0;
          const stake = BigInt(stored?.stake ?? '0');
          const risk = await riskOf(space, agentId);
          return requiredStake(agentId, { stake, abandoned, ...risk, least: settlement?.numbers.minStake });
        },
      },
      jobs:
        parts && indexer
          ? [
              {
                name: 'ledger-history',
                every: EVERY,
                first: 0,
                once: true,
                run: async (signal) => {
                  await indexer.run(signal);
                  await sweepAfterGap(space, parts.settlement.deployment.config, signal);
                  await readStakes(space, parts.settlement, clock.now(), signal, evidence);
                  await readEscrows(parts, clock.now(), signal);
                },
              },
            ]
          : [],
    };
  },
});

/** The one thing events are found by; undefined for all of them. */
function eventPosting(filter: { readonly agent_id?: string; readonly conversation_id?: string }): string | undefined {
  const { agent_id, conversation_id } = filter;
  if (agent_id !== undefined && conversation_id !== undefined) {
    throw invalidField('/agent_id', 'cannot be combined with conversation_id: ask for one of them');
  }
  return agent_id === undefined ? conversation_id?.toLowerCase() : agentIdFrom(agent_id);
}
