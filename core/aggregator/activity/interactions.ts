import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Space } from '../../storage/space.ts';
import { interactionPosting, interactions, shownId } from '../store/logs.ts';
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
): Promise<Interaction[]> {
  if (from === undefined && to === undefined) return read(space, page);
  const posting = interactionPosting({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
  return read(space, { ...page, posting });
}

/** Ratings that an agent gave or got, newest first; nobody rates itself. */
export async function listInvolving(space: Space, agentId: string, page: Page): Promise<Interaction[]> {
  const [given, got] = await Promise.all([
    listInteractions(space, { ...page, from: agentId }),
    listInteractions(space, { ...page, to: agentId }),
  ]);
  return [...given, ...got].sort((one, other) => other.id - one.id).slice(0, page.limit);
}

async function read(space: Space, query: Page & { readonly posting?: string }): Promise<Interaction[]> {
  const rows = await space.page(interactions, query);
  return rows.map(({ id, record: { at, envelope, is_dispute = false, ...interaction } }) => {
    return { id, ...interaction, ...shownId(envelope), is_dispute, ...momentOf(at) };
  });
}
