import type { SchemaTypes } from '../../../schemas/types.ts';
import { decodeCursor, encodeCursor } from '../../storage/cursor.ts';
import type { Space } from '../../storage/space.ts';
import { entryView, history } from './entries.ts';

/** One page of the history, newest first, with the cursor of the next. */
export async function historyPage(
  space: Space,
  { type, before, limit = 50 }: SchemaTypes['history-query'],
): Promise<SchemaTypes['history-page']> {
  const after = decodeCursor(before, '/before');
  const which = type === undefined ? { index: 'recent' as const } : { index: 'type' as const, prefix: [type] };
  const rows = await space.page(history, { ...which, reverse: true, limit, ...(after && { after }) });
  const last = rows.at(-1);
  return {
    events: rows.map(({ id, value }) => entryView(id, value)),
    next: last && rows.length === limit ? encodeCursor(last) : null,
  };
}
