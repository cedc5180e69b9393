import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Space } from '../../storage/space.ts';
import { deals } from '../deals/deal-document.ts';
import { NO_RATINGS, ratingsWith } from './own-ratings.ts';

/** Deals with one agent that are counted, the newest; a page of them is read at once. */
const MOST = 500;
const PAGE = 100;

/** This node's own experience with an agent: deals and ratings between the two; undefined where there is none. */
export async function ownExperience(space: Space, agent: string): Promise<SchemaTypes['own-experience'] | undefined> {
  const [counts, ratings] = await Promise.all([dealsWith(space, agent), space.get(ratingsWith.ref(agent))]);
  if (counts.count === 0 && !ratings) return undefined;
  return { deals: counts, ratings: ratings ?? NO_RATINGS };
}

async function dealsWith(space: Space, agent: string): Promise<SchemaTypes['own-experience']['deals']> {
  const by_state: Record<string, number> = {};
  const found = { count: 0, more: false, as_provider: 0, lapsed_by_agent: 0, last: 0 };
  const query = { index: 'with', prefix: [agent], reverse: true, limit: PAGE } as const;
  for (let rows = await space.page(deals, query); rows.length > 0; ) {
    for (const { value } of rows) {
      const { deal, updated_at } = value;
      found.count += 1;
      found.last = Math.max(found.last, updated_at);
      by_state[deal.state] = (by_state[deal.state] ?? 0) + 1;
      if (deal.provider === agent) found.as_provider += 1;
      if (deal.against === agent) found.lapsed_by_agent += 1;
    }
    if (rows.length < PAGE) break;
    rows = await space.page(deals, { ...query, after: rows.at(-1)! });
    if (found.count < MOST) continue;
    found.more = rows.length > 0;
    break;
  }
  const { count, more, as_provider, lapsed_by_agent, last } = found;
  const last_at = last > 0 ? new Date(last).toISOString() : null;
  return { count, more, as_provider, as_requester: count - as_provider, lapsed_by_agent, by_state, last_at };
}
