import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Space } from '../../storage/space.ts';
import { ANY, agents, type StoredAgent } from '../store/agents.ts';

export type Page = { readonly limit: number; readonly offset: number };
type ListQuery = Page & Partial<Pick<SchemaTypes['agents-query'], 'country' | 'capability' | 'sort'>>;

/** Rows of one page of the store. */
export const MOST_ROWS = 2_000;
const REGISTRY_WINDOW = 48 * 60 * 60 * 1000;

/** Agents of a country, with a capability, or all of them, in the order asked for. */
export async function listAgents(space: Space, query: ListQuery): Promise<StoredAgent[]> {
  const rows = await space.page(agents, {
    index: (query.sort ?? 'reputation') === 'reputation' ? 'best' : 'recent',
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

function pageOf({ limit, offset }: Page): { limit: number; offset?: number } {
  return { limit, ...(offset > 0 && { offset }) };
}
