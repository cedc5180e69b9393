import type { SchemaTypes } from '../../schemas/types.ts';
import { type AppendLog, appendLog, collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import { conversationPosting, idPosting } from './records.ts';

export type InboxRecord = SchemaTypes['inbox-record'];
export type InboxState = SchemaTypes['inbox-state'];

/** Letters of keys that had no business with this node when they came. */
export const STRANGERS_LETTERS = 'strangers';

const spec = {
  schema: 'inbox-record',
  postings: (record: InboxRecord) => [
    idPosting(record.envelope_id),
    conversationPosting(record.conversation_id),
    ...(record.stranger === undefined ? [] : [STRANGERS_LETTERS]),
  ],
};

/** Envelopes to this agent, and to everybody: two logs that share one numbering, since their limits differ. */
export const letters: AppendLog<InboxRecord> = appendLog('letters', spec);
export const broadcasts: AppendLog<InboxRecord> = appendLog('broadcasts', spec);

/** How far numbering, agent and handlers have come; one document. */
export const inboxState = collection<InboxState>('inbox-state', { schema: 'inbox-state' }).ref('inbox');

export const EMPTY: InboxState = { cursor: 0, acknowledged: 0, handled: null };

/** The id of the last record of a log whose cursor is not above this one; found by halving. */
export async function positionOf(space: Space, of: AppendLog<InboxRecord>, cursor: number): Promise<number> {
  const [newest] = await space.page(of, { limit: 1 });
  let low = 0;
  let high = newest?.id ?? 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await space.page(of, { after: middle, limit: 1 });
    if (next && next.record.cursor <= cursor) low = next.id;
    else high = middle;
  }
  return low;
}
