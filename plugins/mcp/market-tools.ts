import { formatUsdc, MeshError } from '../../core/plugin.ts';
import type { AggregatorCalls, Clock, Payments, Peers, Self } from '../../core/services.ts';
import { told } from './results.ts';
import { AGENT_ID, LIMIT, text } from './shapes.ts';
import type { Spending } from './spending.ts';
import { type Tool, tool } from './tool.ts';

interface MarketToolParts {
  readonly self: Self;
  readonly peers: Peers;
  readonly aggregators: AggregatorCalls;
  readonly payments: Payments;
  readonly spending: Spending;
  readonly clock: Clock;
  readonly perCall: bigint;
  readonly perDay: bigint;
}

/** Peers that are looked through for want of an aggregator. */
const MOST_PEERS = 1_000;

/** The tools that find agents and look at the wallet, on a node. */
export function marketTools(parts: MarketToolParts): Tool[] {
  const { self, peers, aggregators, payments, spending, clock } = parts;

  const find = tool<{ capability?: string; query?: string; limit: number }>('find_agents', {
    title: 'Find agents',
    description:
      'Agents by capability or name, from the aggregator of this node, else those that the node has heard of. Names and capabilities are what the agents say of themselves; the score is what their deals show.',
    hints: { readOnlyHint: true, openWorldHint: true },
    properties: {
      capability: text('Only agents that advertise it, such as translation.', 64),
      query: text('Part of a name.', 64),
      limit: LIMIT,
    },
    async run({ capability, query, limit }) {
      const [url] = aggregators.urls;
      if (url === undefined) return told({ source: 'peers', agents: await known(capability, query, limit) });
      const path = query === undefined ? '/agents' : '/agents/search';
      const agents = await aggregators.get({ url, path, query: { capability, q: query, limit } });
      return told({ source: url, agents: isList(agents) ? agents.slice(0, limit) : [] });
    },
  });

  /** Agents that this node has heard of itself. */
  async function known(capability: string | undefined, query: string | undefined, limit: number): Promise<object[]> {
    const found: object[] = [];
    let after: string | undefined;
    for (let seen = 0; seen < MOST_PEERS && found.length < limit; seen += 200) {
      const page = await peers.page({ limit: 200, ...(after !== undefined && { after }) });
      for (const { id, name, capabilities, seen: last } of page.peers) {
        if (capability !== undefined && !capabilities.includes(capability.toLowerCase())) continue;
        if (query !== undefined && !name.toLowerCase().includes(query.toLowerCase())) continue;
        found.push({ agent_id: id, name, capabilities, last_seen: new Date(last).toISOString() });
      }
      after = page.next;
      if (after === undefined) break;
    }
    return found.slice(0, limit);
  }

  const agent = tool<{ agent_id?: string }>('agent', {
    title: 'Look at an agent',
    description: 'One agent with its score, explained in points; without an id, this agent itself.',
    hints: { readOnlyHint: true, openWorldHint: true },
    properties: { agent_id: AGENT_ID },
    async run({ agent_id: id = self.id }) {
      const peer = await peers.get(id);
      const [url] = aggregators.urls;
      const read = async (path: string) =>
        url === undefined ? undefined : aggregators.get({ url, path }).catch(absent);
      const [profile, reputation] = await Promise.all([
        read(`/agents/${encodeURIComponent(id)}/profile`),
        read(`/reputation/${encodeURIComponent(id)}`),
      ]);
      if (!peer && !profile && !reputation && id !== self.id)
        throw new MeshError('not_found', `Neither this node nor its aggregator has heard of ${id}.`);
      return told({
        agent_id: id,
        ...(id === self.id && { this_agent: true, name: self.name, network: self.network }),
        ...(peer && {
          peer: { name: peer.name, capabilities: peer.capabilities, connected: peer.since !== undefined },
        }),
        ...(isObject(profile) && { profile }),
        ...(isObject(reputation) && { reputation }),
      });
    },
  });

  const wallet = tool<Record<never, never>>('wallet', {
    title: 'Look at the wallet',
    description: 'The address and balances of this agent, and what you may move today without a confirmation.',
    hints: { readOnlyHint: true },
    properties: {},
    async run() {
      const { usdc, lamports } = await payments.balances();
      const moved = await spending.today(clock.now());
      const left = parts.perDay > moved ? parts.perDay - moved : 0n;
      return told({
        address: self.address,
        usdc: formatUsdc(usdc),
        sol: `${lamports / 1_000_000_000n}.${String(lamports % 1_000_000_000n).padStart(9, '0')}`,
        without_confirmation: { per_call_usdc: formatUsdc(parts.perCall), left_today_usdc: formatUsdc(left) },
      });
    },
  });

  return [find, agent, wallet];
}

/** An aggregator that does not know an agent is no fault. */
function absent(error: unknown): undefined {
  const { details } = error as MeshError;
  if (details?.extra?.['upstream_status'] === 404) return undefined;
  throw error;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
