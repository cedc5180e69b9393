import { invalidField } from '../../contracts/errors.ts';
import { Store } from '../../internal-services.ts';
import { normaliseAgentId } from '../../protocol/identity/ids.ts';
import { provider } from '../../provider.ts';
import { type Agent, type AgentQuery, Agents, Clock } from '../../services.ts';
import { decodeCursor, encodeCursor } from '../../storage/cursor.ts';
import type { KeyRange } from '../../storage/keys.ts';
import { foldName } from '../agents/name-terms.ts';
import { SPACE } from '../providers.ts';
import { ANY, agents, type StoredAgent } from '../store/agents.ts';
import { hosts } from '../store/hosts.ts';

const PAGE = 50;
const LONGEST_PAGE = 200;
/** Claims read at once, and counted in all. */
const CLAIMS = 2_000;
const MOST_HOSTED = 10_000;

type Range = { readonly index?: undefined } | (KeyRange & { readonly index: (typeof agents.indexes)[number] });

/** The rows of agents as plugins see them. */
export const agentsProvider = provider(Agents, {
  uses: { store: Store, clock: Clock },
  open({ store, clock }): Agents {
    const space = store.space(SPACE);
    return {
      async get(id) {
        const agentId = normaliseAgentId(id);
        const found = agentId && (await space.get(agents.ref(agentId)));
        return found ? rowOf(found) : undefined;
      },
      async hostedBy(id) {
        const host = normaliseAgentId(id);
        if (host === undefined) return 0;
        const from = [Math.floor(clock.now() / 1000) + 1];
        let known = 0;
        let after: { key: string; id: string } | undefined;
        do {
          const rows = await space.page(hosts, { index: 'host', prefix: [host], from, after, limit: CLAIMS });
          known += rows.length;
          after = rows.length === CLAIMS ? rows.at(-1) : undefined;
        } while (after && known < MOST_HOSTED);
        return Math.min(known, MOST_HOSTED);
      },
      async page({ limit = PAGE, cursor, ...query }) {
        if (!Number.isSafeInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
          throw invalidField('/limit', `must be a whole number from 1 to ${LONGEST_PAGE}`);
        const range = rangeOf(query as AgentQuery);
        const list = JSON.stringify(range);
        const rows = await space.page(agents, { ...range, after: positionOf(cursor, list), limit: limit + 1 });
        const last = rows[limit - 1];
        const next = rows.length > limit && last ? cursorOf(list, last) : undefined;
        return { agents: rows.slice(0, limit).map(({ value }) => rowOf(value)), ...(next !== undefined && { next }) };
      },
    };
  },
});

/** The part of an index that is the list asked for. */
function rangeOf(query: AgentQuery): Range {
  switch (query.by) {
    case 'rank':
    case 'recent': {
      const { by, capability, country } = query;
      const prefix = [capability?.toLowerCase() ?? ANY, country?.toUpperCase() ?? ANY];
      return { index: by === 'rank' ? 'best' : 'recent', prefix };
    }
    case 'name': {
      const startsWith = foldName(query.startsWith);
      if (startsWith === '') throw invalidField('/startsWith', 'must hold a visible character');
      return { index: 'name', startsWith };
    }
    case 'rated':
      return { index: 'leader' };
    case 'beacon':
      return { index: 'beacon' };
    case 'id':
      return {};
    default:
      throw invalidField('/by', 'must be rank, recent, name, rated, beacon or id');
  }
}

/** A cursor says which list it is of, so that it is not taken for a place in another. */
function cursorOf(list: string, { key, id }: { key: string; id: string }): string {
  return encodeCursor({ key: `${list}\n${key}`, id });
}

function positionOf(cursor: string | undefined, list: string): { key: string; id: string } | undefined {
  const position = decodeCursor(cursor, '/cursor');
  if (!position) return undefined;
  const { key, id } = position;
  if (!key.startsWith(`${list}\n`)) throw invalidField('/cursor', 'is of another list; take it from `next`');
  return { key: key.slice(list.length + 1), id };
}

function rowOf(agent: StoredAgent): Agent {
  const { url, country, city, beacon, standing, round_trip: trip } = agent;
  const { positive, neutral, negative } = standing.counts;
  return {
    id: agent.agent_id,
    name: agent.name,
    ...(url !== undefined && { url }),
    hubs: agent.hubs,
    capabilities: agent.capabilities,
    ...(country !== undefined && { country }),
    ...(city !== undefined && { city }),
    score: standing.score,
    rank: standing.rank,
    ratings: { positive, neutral, negative },
    disputes: agent.disputes,
    firstSeen: agent.first_seen,
    lastSeen: agent.last_seen,
    ...(beacon && { lastBeacon: beacon.last }),
    ...(trip && { lastRoundTrip: { asked: trip.asked, answered: trip.answered } }),
  };
}
