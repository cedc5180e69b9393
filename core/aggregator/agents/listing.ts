import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../errors.ts';
import { normaliseAgentId } from '../../identity/ids.ts';
import type { Space } from '../../storage/space.ts';
import { ANY, agents, type StoredAgent } from '../store/agents.ts';
import { foldName } from './name-terms.ts';

type Page = { readonly limit: number; readonly offset: number };
type ListQuery = Page & Pick<SchemaTypes['agents-query'], 'country' | 'capability' | 'sort'>;

/** The longest list of one agent's name terms: how often a name can be met in one search. */
const MEETINGS = 16;
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

/** Agents whose name, or a word of it, begins like this; in the order of what was found. */
export async function searchByName(space: Space, q: string, { limit, offset }: Page): Promise<StoredAgent[]> {
  const startsWith = foldName(q);
  if (startsWith === '') {
    const fields = [{ pointer: '/q', message: 'must hold a visible character' }];
    throw new MeshError('invalid_request', { detail: '/q must hold a visible character', fields });
  }
  // A name is met once for each of its words that begin like this; only the first meeting counts.
  const found = new Map<string, StoredAgent>();
  let after: { key: string; id: string } | undefined;
  for (let pages = 0; pages < MEETINGS && found.size < offset + limit; pages += 1) {
    const rows = await space.page(agents, { index: 'name', startsWith, after, limit: offset + limit });
    for (const { id, value } of rows) if (!found.has(id)) found.set(id, value);
    after = rows.at(-1);
    if (rows.length < offset + limit) break;
  }
  return [...found.values()].slice(offset, offset + limit);
}

function pageOf({ limit, offset }: Page): { limit: number; offset?: number } {
  return { limit, ...(offset > 0 && { offset }) };
}
