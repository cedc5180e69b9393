import { invalidField } from '../../core/plugin.ts';
import type { Space } from '../../core/services.ts';
import type { SchemaTypes } from '../../schemas/types.ts';
import { cases, type NotaryCase, withKnown } from './case-records.ts';
import { changeCase } from './case-store.ts';

const PAGE = 200;
type Listed = 'known' | 'recent';

/**
 * A page of the cases behind the one that `after` names: first those that are known, then those of strangers, each the newest first. So
 * whoever opens cases by the thousand pushes none out that this notary has to do with.
 */
export async function casePage(
  space: Space,
  { after, limit = PAGE }: SchemaTypes['notary-cases-query'],
): Promise<NotaryCase[]> {
  const last = after === undefined ? undefined : await space.get(cases.ref(after));
  if (after !== undefined && !last)
    throw invalidField('/after', 'is no case of this node; take the case_id of the last one of the page before');
  const from = last && { id: after!, found: last };
  const known = from && !from.found.known ? [] : await pageOf(space, 'known', limit, from);
  if (known.length === limit) return known;
  const behind = from?.found.known ? undefined : from;
  return [...known, ...(await pageOf(space, 'recent', limit - known.length, behind))];
}

async function pageOf(
  space: Space,
  index: Listed,
  limit: number,
  from: { readonly id: string; readonly found: NotaryCase } | undefined,
): Promise<NotaryCase[]> {
  const key = from && cases.entriesOf(from.found).find((entry) => entry.index === index)!.key;
  const after = from && { id: from.id, key: key! };
  const rows = await space.page(cases, { index, reverse: true, limit, ...(after && { after }) });
  return rows.map(({ value }) => value);
}

/** Finds the known ones among cases that were stored before they were told apart. */
export async function sortOlderCases(space: Space, signal: AbortSignal): Promise<void> {
  let after: { key: string; id: string } | undefined;
  do {
    const rows = await space.page(cases, { index: 'recent', limit: PAGE, ...(after && { after }) });
    for (const { value } of rows)
      if (!signal.aborted && withKnown(value) !== value) await changeCase(space, value, (before) => before);
    after = rows.length === PAGE ? rows.at(-1) : undefined;
  } while (after && !signal.aborted);
}
