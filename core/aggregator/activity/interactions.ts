import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { interactionPosting, interactions, type StoredInteraction, shownId } from '../store/logs.ts';
import { momentOf } from '../times.ts';
import { newestOf } from './newest.ts';

export type Interaction = SchemaTypes['interaction'];

interface Page {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Ratings that count, newest first: all, or by one agent, of one agent, or both. */
export async function listInteractions(
  space: Space,
  { from, to, ...page }: Page & { readonly from?: string | undefined; readonly to?: string | undefined },
): Promise<Interaction[]> {
  if (from === undefined && to === undefined) return (await space.page(interactions, page)).map(shown);
  const posting = interactionPosting({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  return (await space.page(interactions, { ...page, posting })).map(shown);
}

/** Ratings that an agent gave or got, newest first; nobody rates itself. */
export async function listInvolving(space: Space, agentId: string, page: Page): Promise<Interaction[]> {
  const sides = [interactionPosting({ from: agentId }), interactionPosting({ to: agentId })];
  return (await newestOf(space, interactions, sides, page)).map(shown);
}

function shown({ id, record }: Logged<StoredInteraction>): Interaction {
  const { at, envelope, is_dispute = false, ...interaction } = record;
  return { id, ...interaction, ...shownId(envelope), is_dispute, ...momentOf(at) };
}
