import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import { normaliseAgentId } from '../../protocol/identity/ids.ts';
import type { Space } from '../../storage/space.ts';
import { ANY, agents, type StoredAgent } from '../store/agents.ts';
import { listAgents, MOST_ROWS, type Page } from './listing.ts';
import { foldName } from './name-terms.ts';

/** Words that are looked at in one search, when they only begin like what is asked for. */
const MEETINGS = 500;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{1,44}$/;
const HEX = /^[0-9a-fA-F]{64}$/;
const CAPABILITY = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Agents with an id that begins like `q`, then those with a name, a word of a name or a capability that does, the
 * best first. With `capability`, only agents that have that one. Every part is a range of an index.
 */
export async function searchAgents(
  space: Space,
  { q, capability, limit, offset }: Page & Pick<SchemaTypes['agent-search-query'], 'q' | 'capability'>,
): Promise<StoredAgent[]> {
  if (q === undefined && capability === undefined)
    throw invalidField('/q', 'is required: an id, a name or a capability, or the beginning of one of the first two');
  if (q === undefined) return listAgents(space, { limit, offset, ...(capability !== undefined && { capability }) });
  const most = offset + limit;
  const [byId, byName, able] = await Promise.all([
    idsLike(space, q, Math.min(MOST_ROWS, capability === undefined ? most : MEETINGS)),
    namesLike(space, q, most),
    CAPABILITY.test(q) ? withCapability(space, q, Math.min(MOST_ROWS, most)) : [],
  ]);
  const others = once([...byName, ...able]).sort(byPlace);
  const wanted = capability?.toLowerCase();
  const found = once([...byId, ...others]).filter((agent) => !wanted || agent.capabilities.includes(wanted));
  return found.slice(offset, most);
}

/**
 * Agents with a name, or a word of it, that begins like this; the best first, and of equal ones the one seen first.
 * Anybody can take any name and grind any id. For a whole word the best are found among any number of names; for a
 * mere beginning, among the first ones met.
 */
export async function searchByName(space: Space, q: string, { limit, offset }: Page): Promise<StoredAgent[]> {
  if (foldName(q) === '') throw invalidField('/q', 'must hold a visible character');
  const found = await namesLike(space, q, offset + limit);
  return found.sort(byPlace).slice(offset, offset + limit);
}

async function idsLike(space: Space, q: string, limit: number): Promise<StoredAgent[]> {
  const idPrefix = HEX.test(q) ? normaliseAgentId(q)! : q;
  if (!BASE58.test(idPrefix)) return [];
  const rows = await space.page(agents, { idPrefix, limit });
  return rows.map(({ value }) => value);
}

async function namesLike(space: Space, q: string, most: number): Promise<StoredAgent[]> {
  const startsWith = foldName(q);
  if (startsWith === '') return [];
  const [whole, begun] = await Promise.all([
    space.page(agents, { index: 'name', prefix: [startsWith], limit: Math.min(MOST_ROWS, most) }),
    space.page(agents, { index: 'name', startsWith, limit: Math.min(MOST_ROWS, Math.max(most, MEETINGS)) }),
  ]);
  // A name is met once for each of its words that begin like this.
  return once([...whole, ...begun].map(({ value }) => value));
}

async function withCapability(space: Space, q: string, limit: number): Promise<StoredAgent[]> {
  const found = await space.page(agents, { index: 'best', prefix: [q.toLowerCase(), ANY], limit });
  return found.map(({ value }) => value);
}

function once(found: readonly StoredAgent[]): StoredAgent[] {
  return [...new Map(found.map((agent) => [agent.agent_id, agent])).values()];
}

function byPlace(one: StoredAgent, other: StoredAgent): number {
  const byRank = other.standing.rank - one.standing.rank;
  return byRank || one.first_seen - other.first_seen || (one.agent_id < other.agent_id ? -1 : 1);
}
