import type { SchemaTypes } from '../../../schemas/types.ts';
import { BoundedMap } from '../../bounded-map.ts';
import { newStanding } from '../../reputation/standing.ts';
import { collection } from '../../storage/declarations.ts';
import { nameTerms } from '../agents/name-terms.ts';
import { placed } from '../reputation/placed.ts';

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
 * | `name`   | the name from the start of each of its words           | /agents/search/name                 |
 * | `beacon` | last BEACON downwards                                  | /registry                           |
 * | `fades`  | the epoch in which idleness next lowers its rank       | the job that keeps the order true   |
 *
 * Equal keys are ordered by agent id, so every page is stable.
 */
export const agents = collection<StoredAgent, 'best' | 'recent' | 'leader' | 'name' | 'beacon' | 'fades'>('agents', {
  schema: 'stored-agent',
  shared: true,
  indexes: {
    best: (agent) => lists(agent).map((list) => [...list, -agent.ranked.rank]),
    recent: (agent) => lists(agent).map((list) => [...list, -agent.last_seen]),
    leader: (agent) => (isRated(agent) ? [-agent.ranked.rank] : undefined),
    name: ({ name }) => termKeysOf(name),
    beacon: (agent) => (agent.beacon ? [-agent.beacon.last] : undefined),
    fades: ({ ranked }) => (ranked.fades_at === null ? undefined : [ranked.fades_at]),
  },
});

const termKeys = new BoundedMap<string, readonly (readonly [term: string])[]>(10_000);

function termKeysOf(name: string): readonly (readonly [term: string])[] {
  const known = termKeys.get(name);
  if (known) return known;
  const keys = nameTerms(name).map((term) => [term] as const);
  termKeys.set(name, keys);
  return keys;
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
    ...placed(agentId, newStanding(epoch), epoch),
    verdicts: 0,
    disputes: 0,
  };
}

/** Ratings that count. */
export function feedbackCount({ standing: { counts } }: StoredAgent): number {
  return counts.positive + counts.neutral + counts.negative;
}

/** Whether anything has been counted for or against it. */
function isRated({ standing: { counts } }: StoredAgent): boolean {
  return Object.values(counts).some((count) => count > 0);
}

function lists({ capabilities, country }: StoredAgent): [capability: string, country: string][] {
  const countries = country === undefined ? [ANY] : [ANY, country];
  return [ANY, ...capabilities].flatMap((capability) => countries.map((of): [string, string] => [capability, of]));
}
