import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { interactionPosting, interactions, type StoredInteraction } from '../store/logs.ts';
import { momentOf } from '../times.ts';

export type Interaction = SchemaTypes['interaction'];

interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Ratings that count, newest first: all, or by one agent, of one agent, or both. */
export function listInteractions(
  space: Space,
  { from, to, ...page }: Page & { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<Logged<StoredInteraction>[]> {
  if (from === undefined && to === undefined) return space.page(interactions, page);
  const posting = interactionPosting({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  return space.page(interactions, { ...page, posting });
}

/** Ratings that an agent gave or got, newest first; nobody rates itself. */
export async function listInvolving(space: Space, agentId: string, page: Page): Promise<Logged<StoredInteraction>[]> {
  const [given, got] = await Promise.all([
    listInteractions(space, { ...page, from: agentId }),
    listInteractions(space, { ...page, to: agentId }),
  ]);
  return [...given, ...got].sort((one, other) => other.id - one.id).slice(0, page.limit);
}

export function interactionOf({ id, record }: Logged<StoredInteraction>): Interaction {
  const { at, is_dispute = false, ...interaction } = record;
  return { id, ...interaction, is_dispute, ...momentOf(at) };
}
