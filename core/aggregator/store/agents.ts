import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';
import { nameTerms } from '../agents/name-terms.ts';

export type StoredAgent = SchemaTypes['stored-agent'];

/** Stands for "any" in the keys of the agent lists; no capability or country is empty. */
export const ANY = '';

/**
 * One document per agent that has ever signed something. The lists that clients can ask for are indexes:
 *
 * | index    | keys                                                             | serves                          |
 * | -------- | ---------------------------------------------------------------- | ------------------------------- |
 * | `best`   | capability or any, country or any, rank downwards                | /agents?sort=reputation         |
 * | `recent` | capability or any, country or any, last seen downwards           | /agents?sort=recent             |
 * | `leader` | rank downwards, of agents somebody has rated                     | /leaderboard                    |
 * | `name`   | the name from the start of each of its words                     | /agents/search/name             |
 * | `beacon` | last BEACON downwards                                            | /registry                       |
 * | `scored` | the epoch its score was computed in, of agents with a reputation | the hourly renewal of scores    |
 *
 * Equal keys are ordered by agent id, so every page is stable.
 */
export const agents = collection<StoredAgent, 'best' | 'recent' | 'leader' | 'name' | 'beacon' | 'scored'>('agents', {
  schema: 'stored-agent',
  indexes: {
    best: (agent) => lists(agent).map((list) => [...list, -agent.rank]),
    recent: (agent) => lists(agent).map((list) => [...list, -agent.last_seen]),
    leader: (agent) => (agent.rated ? [-agent.rank] : undefined),
    name: (agent) => nameTerms(agent.name).map((term) => [term]),
    beacon: (agent) => (agent.beacon ? [-agent.beacon.last] : undefined),
    scored: (agent) => (agent.rated ? [agent.scored_epoch] : undefined),
  },
});

export function newAgent(agentId: string, now: number): StoredAgent {
  return {
    agent_id: agentId,
    name: '',
    hubs: [],
    capabilities: [],
    first_seen: now,
    last_seen: now,
    beacon: null,
    advertise: 0,
    score: 0,
    rank: 0,
    rated: false,
    scored_epoch: 0,
    feedback: { positive: 0, neutral: 0, negative: 0 },
    verdicts: 0,
    disputes: 0,
  };
}

export function feedbackCount({ feedback }: StoredAgent): number {
  return feedback.positive + feedback.neutral + feedback.negative;
}

function lists({ capabilities, country }: StoredAgent): [capability: string, country: string][] {
  const countries = country === undefined ? [ANY] : [ANY, country];
  return [ANY, ...capabilities].flatMap((capability) => countries.map((of): [string, string] => [capability, of]));
}
