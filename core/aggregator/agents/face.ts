import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Limit } from '../../http/route.ts';
import { Ledger, Store } from '../../internal-services.ts';
import { type Context, defineFace, optional, preparedJson, route, typed } from '../../plugin.ts';
import { normaliseAgentId } from '../../protocol/identity/ids.ts';
import { Clock } from '../../services.ts';
import type { Space } from '../../storage/space.ts';
import { View } from '../../storage/view.ts';
import { agentIdFrom } from '../agent-param.ts';
import { leaseOf } from '../ledger/view.ts';
import { READS } from '../limits.ts';
import { Pages } from '../pages.ts';
import { SPACE } from '../providers.ts';
import { allScoredAs, scoredAs, withScoredAs } from '../reputation/view.ts';
import { agents, type StoredAgent } from '../store/agents.ts';
import { hosts } from '../store/hosts.ts';
import { stakes } from '../store/ledger.ts';
import { disputes } from '../store/logs.ts';
import { lastRunRef } from '../store/scores.ts';
import { isoTime } from '../times.ts';
import { besideOf, hostNow } from './beside.ts';
import { listDisputes } from './disputes.ts';
import { listAgents, listBeaconing } from './listing.ts';
import { agentsNear } from './near.ts';
import { searchAgents, searchByName } from './search.ts';
import { type AgentItem, agentItem, agentProfile, type RegistryEntry, registryEntry, withBeside } from './view.ts';

type AgentProfile = SchemaTypes['agent-profile'];

/** How many disputes a profile shows. */
const SHOWN_DISPUTES = 5;
const NOTHING_BESIDE = { stake: 0n, lease: 'none', host: undefined } as const;
/** Each looks up some hundred ids. */
const NEAR: Limit = { per: 'ip', rate: 120, window: 60 };

export interface AgentsConfig {
  readonly probes: string[];
}

/** The `agents` object under `core` of plugins.json. */
export const agentsConfig = typed<AgentsConfig>({
  type: 'object',
  additionalProperties: false,
  properties: {
    probes: {
      description:
        "The operator's probe buyers: the last round trip of an agent says whether one of them asked for it. List them in core.reputation.anchors too.",
      type: 'array',
      items: { $ref: 'common.json#/$defs/agent-id' },
      maxItems: 100,
      uniqueItems: true,
      default: [],
    },
  },
});

/** Discovery: lists, searches, profiles and the registry of beaconing agents. */
export const agentsFace = defineFace({
  uses: { store: Store, clock: Clock, ledger: optional(Ledger) },
  routes: {
    list_agents: route('GET /agents', {
      auth: 'open',
      summary: 'Agents, by reputation or by when they were last heard of',
      query: 'agents-query',
      reply: 'agents',
      limit: READS,
    }),
    search_agents: route('GET /agents/search', {
      auth: 'open',
      summary: 'Agents by the beginning of an id or name, or by capability',
      query: 'agent-search-query',
      reply: 'agents',
      limit: READS,
    }),
    search_agent_names: route('GET /agents/search/name', {
      auth: 'open',
      summary: 'Agents whose name, or a word of it, begins like this',
      query: 'name-search-query',
      reply: 'agents',
      limit: READS,
    }),
    search_agent_ids: route('GET /agents/search/id', {
      auth: 'open',
      summary:
        'Agents whose id is this one or has another letter in one place: a slip of the pen, or a key made to look alike',
      query: 'near-agent-query',
      reply: 'agents',
      limit: NEAR,
    }),
    agent: route('GET /agents/:agent_id', {
      auth: 'open',
      summary: 'One agent, as /agents/:agent_id/profile',
      params: { agent_id: 'agent-id' },
      reply: 'agent-profile',
      limit: READS,
    }),
    agent_profile: route('GET /agents/:agent_id/profile', {
      auth: 'open',
      summary: 'One agent',
      params: { agent_id: 'agent-id' },
      reply: 'agent-profile',
      limit: READS,
    }),
    agent_host: route('GET /agents/:agent_id/host', {
      auth: 'open',
      summary: 'Which node acts for a hosted agent, and the recovery key of the first claim that the agent signed',
      params: { agent_id: 'agent-id' },
      reply: 'agent-host',
      limit: READS,
    }),
    agent_disputes: route('GET /disputes/:agent_id', {
      auth: 'open',
      summary: 'Disputes of an agent, raised against it or by it, newest first',
      params: { agent_id: 'agent-id' },
      query: 'disputes-query',
      reply: 'disputes',
      limit: READS,
    }),
    registry: route('GET /registry', {
      auth: 'open',
      summary: 'Agents that announce themselves, the last beacon first',
      query: 'registry-query',
      reply: 'registry',
      limit: READS,
    }),
  },
  setup({ store, clock, ledger }, { config }: Context<AgentsConfig>) {
    const probes = new Set(config.probes.map((id) => normaliseAgentId(id)!));
    const space: Space = store.space(SPACE);
    const profiles = new View((agent: StoredAgent) => JSON.stringify(agentProfile(agent, [], NOTHING_BESIDE, probes)));
    const run = async () => scoredAs(await space.get(lastRunRef));
    const items = new View((agent: StoredAgent) => JSON.stringify(agentItem(agent, probes)));
    const entries = new View((agent: StoredAgent) => JSON.stringify(registryEntry(agent)));
    const pages = new Pages<string>(space);
    const listOf = async (found: Promise<readonly StoredAgent[]>): Promise<string> => {
      const [as, rows] = await Promise.all([run(), found]);
      const beside = await besideOf(space, rows, { now: clock.now(), hasLedger: ledger?.settlement !== undefined });
      const texts = rows.map((agent, index) => withBeside(beside[index]!, items.of(agent)));
      return `[${allScoredAs(as, texts).join()}]`;
    };
    const profileOf = async (text: string) => {
      const agentId = agentIdFrom(text);
      const agent = await space.get(agents.ref(agentId));
      if (!agent) throw new MeshError('not_found', 'This aggregator has not heard of that agent.');
      const now = clock.now();
      const as = await run();
      const against = agent.disputes > 0 ? await space.page(disputes, { posting: agentId, limit: SHOWN_DISPUTES }) : [];
      const [staked, claim] = await Promise.all([
        ledger?.settlement && space.get(stakes.ref(agentId)),
        space.get(hosts.ref(agentId)),
      ]);
      const host = hostNow(claim, now);
      if (against.length === 0 && !staked && host === undefined)
        return preparedJson<AgentProfile>(withScoredAs(as, profiles.of(agent)));
      const stake = BigInt(staked?.stake ?? '0');
      const beside = { stake, lease: leaseOf(staked, ledger?.settlement, now), host };
      return { ...as, ...agentProfile(agent, against, beside, probes) };
    };
    return {
      routes: {
        list_agents: async ({ query: { limit = 50, offset = 0, ...filter } }) => {
          const name = JSON.stringify([limit, offset, filter.sort, filter.capability, filter.country]);
          // The claim of a host ends with a second, whether or not anything is written then.
          const second = Math.floor(clock.now() / 1_000);
          const text = await pages.of(name, second, () => listOf(listAgents(space, { limit, offset, ...filter })));
          return preparedJson<AgentItem[]>(text);
        },
        search_agents: async ({ query: { limit = 50, offset = 0, ...asked } }) =>
          preparedJson<AgentItem[]>(await listOf(searchAgents(space, { limit, offset, ...asked }))),
        search_agent_names: async ({ query: { name, q = name, limit = 50, offset = 0 } }) => {
          if (q === undefined) throw invalidField('/q', 'is required: the beginning of a name, or of a word in it');
          return preparedJson<AgentItem[]>(await listOf(searchByName(space, q, { limit, offset })));
        },
        search_agent_ids: async ({ query: { q } }) => preparedJson<AgentItem[]>(await listOf(agentsNear(space, q))),
        agent: ({ params }) => profileOf(params.agent_id),
        agent_profile: ({ params }) => profileOf(params.agent_id),
        async agent_host({ params }) {
          const claim = await space.get(hosts.ref(agentIdFrom(params.agent_id)));
          if (!claim) throw new MeshError('not_found', 'This aggregator has heard no claim of that agent.');
          const { agent_id, host, recovery_key, not_after } = claim;
          return { agent_id, host, recovery_key, not_after: isoTime(not_after * 1_000) };
        },
        agent_disputes: ({ params, query }) => listDisputes(space, agentIdFrom(params.agent_id), query),
        registry: async ({ query: { all = false, limit = 50, offset = 0 } }) => {
          const name = JSON.stringify(['registry', all, limit, offset]);
          const now = clock.now();
          // An agent that is silent leaves the list by the passing of time alone.
          const text = await pages.of(name, Math.floor(now / 1_000), async () => {
            const rows = await listBeaconing(space, { all, limit, offset }, now);
            return `[${rows.map((agent) => entries.of(agent)).join()}]`;
          });
          return preparedJson<RegistryEntry[]>(text);
        },
      },
    };
  },
});
