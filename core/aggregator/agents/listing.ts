import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../errors.ts';
import { normaliseAgentId } from '../../identity/ids.ts';
import type { Space } from '../../storage/space.ts';
import { ANY, agents, type StoredAgent } from '../store/agents.ts';
import { foldName } from './name-terms.ts';

type Page = { readonly limit: number; readonly offset: number };
type ListQuery = Page & Pick<SchemaTypes['agents-query'], 'country' | 'capability' | 'sort'>;

/** Words that are looked at in one search, when they only begin like what is asked for. */
const MEETINGS = 500;
/** Rows of one page of the store. */
const MOST = 2_000;
const REGISTRY_WINDOW = 48 * 60 * 60 * 1000;

/** Agents of a country, with a capability, or all of them, in the order asked for. */
export async function listAgents(space: Space, query: ListQuery): Promise<StoredAgent[]> {
  const rows = await space.page(agents, {
    index: query.sort === 'recent' ? 'recent' : 'best',
    prefix: [query.capability?.toLowerCase() ?? ANY, query.country?.toUpperCase() ?? ANY],
    ...pageOf(query),
  });
  return rows.map(({ value }) => value);
}

/** Agents somebody has rated, the best first. */
export async function listLeaders(space: Space, page: Page): Promise<StoredAgent[]> {
  const rows = await space.page(agents, { index: 'leader', ...pageOf(page) });
  return rows.map(({ value }) => value);
}

/** Agents whose last BEACON is at most 48 hours old, or all that ever sent one; the last beacon first. */
export async function listBeaconing(space: Space, page: Page & { all: boolean }, now: number): Promise<StoredAgent[]> {
  const to = page.all ? {} : { to: [-(now - REGISTRY_WINDOW)] };
  const rows = await space.page(agents, { index: 'beacon', ...to, ...pageOf(page) });
  return rows.map(({ value }) => value);
}

/** Agents whose id begins like this: base58, or the whole id in hex. */
export async function searchById(space: Space, q: string, page: Page): Promise<StoredAgent[]> {
  const idPrefix = q.length === 64 ? normaliseAgentId(q)! : q;
  const rows = await space.page(agents, { idPrefix, ...pageOf(page) });
  return rows.map(({ value }) => value);
}

/**
 * Agents whose name, or a word of it, begins like this; the best first, of equal ones who was seen first. Anybody can take
 * any name and grind any id. Of a word that is asked for whole the best are found among any number; of words that only
 * begin like it those that are met first.
 */
export async function searchByName(space: Space, q: string, { limit, offset }: Page): Promise<StoredAgent[]> {
  const startsWith = foldName(q);
  if (startsWith === '') {
    const fields = [{ pointer: '/q', message: 'must hold a visible character' }];
    throw new MeshError('invalid_request', { detail: '/q must hold a visible character', fields });
  }
  const most = offset + limit;
  const [whole, begun] = await Promise.all([
    space.page(agents, { index: 'name', prefix: [startsWith], limit: Math.min(MOST, most) }),
    space.page(agents, { index: 'name', startsWith, limit: Math.min(MOST, Math.max(most, MEETINGS)) }),
  ]);
  // A name is met once for each of its words that begin like this.
  const found = new Map([...whole, ...begun].map(({ id, value }) => [id, value]));
  return [...found.values()].sort(byPlace).slice(offset, most);
}

function byPlace(one: StoredAgent, other: StoredAgent): number {
  const byRank = other.standing.rank - one.standing.rank;
  return byRank || one.first_seen - other.first_seen || (one.agent_id < other.agent_id ? -1 : 1);
}

function pageOf({ limit, offset }: Page): { limit: number; offset?: number } {
  return { limit, ...(offset > 0 && { offset }) };
}
