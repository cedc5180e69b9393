import type { SchemaTypes } from '../../../schemas/types.ts';
import { decodeCursor, encodeCursor } from '../../storage/cursor.ts';
import type { DealBook } from './deal-book.ts';
import type { DealDocument } from './deal-document.ts';
import type { DealView } from './deal-view.ts';

/** One page of the deals that a query means, with the cursor of the next. */
export async function dealPage(
  deals: DealBook,
  { state, before, limit = 50 }: SchemaTypes['deals-query'],
  view: (document: DealDocument) => DealView,
): Promise<SchemaTypes['deals-page']> {
  const rows = await deals.page(state, limit, decodeCursor(before, '/before'));
  const last = rows.at(-1);
  return {
    deals: rows.map(({ value }) => view(value)),
    next: last && rows.length === limit ? encodeCursor(last) : null,
  };
}
