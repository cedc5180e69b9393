import type { SchemaTypes } from '../../../schemas/types.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { NOTHING_COUNTED } from '../../protocol/reputation/counts.ts';
import { PRIOR, SPREAD } from '../../protocol/reputation/parameters.ts';
import { collection } from '../../storage/declarations.ts';
import { nameTerms } from '../agents/name-terms.ts';

export type StoredAgent = SchemaTypes['stored-agent'];

/** Stands for "any" in the keys of the agent lists; no capability or country is empty. */
export const ANY = '';

/**
 * One document per agent that has ever signed something. The lists that clients can ask for are indexes:
 *
 * | index    | keys                                                   | serves                              |
 * | -------- | ------------------------------------------------------ | ----------------------------------- |
 * | `best`   | capability or any, country or any, rank downwards      | /agents?sort=reputation             |
 * | `recent` | capability or any, country or any, last seen downwards | /agents?sort=recent                 |
 * | `leader` | rank downwards, of agents with something counted       | /leaderboard                        |
 * | `name`   | the name from the start of each of its words, rank     | /agents/search/name                 |
 * | `beacon` | last BEACON downwards                                  | /registry                           |
 *
 * Of equal ranks who was seen first comes first: anybody can grind an id. Then by id, so every page is stable.
 */
export const agents = collection<StoredAgent, 'best' | 'recent' | 'leader' | 'name' | 'beacon'>('agents', {
  schema: 'stored-agent',
  shared: true,
  indexes: {
    best: (agent) => lists(agent).map((list) => [...list, ...placeOf(agent)]),
    recent: (agent) => lists(agent).map((list) => [...list, -agent.last_seen]),
    leader: (agent) => (isRated(agent) ? placeOf(agent) : undefined),
    name: (agent) => (agent.successor ? [] : termsOf(agent.name)).map((term) => [term, ...placeOf(agent)]),
    beacon: (agent) => (agent.beacon && !agent.successor ? [-agent.beacon.last] : undefined),
  },
});

const terms = new BoundedMap<string, readonly string[]>(10_000);

function termsOf(name: string): readonly string[] {
  const known = terms.get(name);
  if (known) return known;
  const made = nameTerms(name);
  terms.set(name, made);
  return made;
}

function placeOf({ standing, first_seen }: StoredAgent): [rank: number, seen: number] {
  return [-standing.rank, first_seen];
}

export function newAgent(agentId: string, seen: number, epoch: number): StoredAgent {
  return {
    agent_id: agentId,
    name: '',
    hubs: [],
    capabilities: [],
    first_seen: seen,
    last_seen: seen,
    beacon: null,
    advertise: 0,
    standing: newStanding(epoch),
    verdicts: 0,
    disputes: 0,
  };
}

/** How old the last BEACON of an agent that is online may be. */
export const ONLINE_MS = 600_000;

/** The agents that are online, by agent id; who has not announced itself for that long is here no more. */
export const online = collection<Record<string, never>>('online', { schema: () => [], ttl: ONLINE_MS });

/** The standing of an agent first seen in this epoch. */
export function newStanding(epoch: number): StoredAgent['standing'] {
  return {
    version: 2,
    active: epoch,
    key_changes: 0,
    counts: { ...NOTHING_COUNTED },
    scores: [],
    score: 0,
    rank: NEWCOMER,
  };
}

/** The rank of an agent of which nothing is known, as ranks are stored. */
const NEWCOMER = Math.round((-100 * SPREAD) / Math.sqrt(PRIOR)) / 100;

/** Ratings that count. */
export function feedbackCount({ standing: { counts } }: StoredAgent): number {
  return counts.positive + counts.neutral + counts.negative;
}

/**
 * Whether money that the score trusts speaks for the agent, more than doubt speaks against it. Keys, deals about nothing and
 * money that comes back lift no rank that far.
 */
export function hasStanding({ standing }: StoredAgent): boolean {
  return standing.rank > 0;
}

/** Whether anything has been counted for or against it. */
function isRated({ standing: { counts } }: StoredAgent): boolean {
  return Object.values(counts).some((count) => count > 0);
}

function lists({ capabilities, country, successor }: StoredAgent): [capability: string, country: string][] {
  // The agent is listed by the key that it has now.
  if (successor) return [];
  const countries = country === undefined ? [ANY] : [ANY, country];
  return [ANY, ...capabilities].flatMap((capability) => countries.map((of): [string, string] => [capability, of]));
}
