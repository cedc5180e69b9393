import type { SchemaTypes } from '../../../schemas/types.ts';
import type { NodeClient } from '../../client/node-client.ts';

const PAGE = 100;

/** What waits in the inbox, oldest first; only that of one conversation where it is named. */
export async function* framesOf(node: NodeClient, conversation?: string): AsyncGenerator<SchemaTypes['inbox-frame']> {
  const filter = conversation === undefined ? {} : { conversation_id: conversation };
  for (let since = 0; ; ) {
    const { frames, next } = await node.inboxPage({ since, limit: PAGE, ...filter });
    yield* frames;
    if (frames.length === 0 || next === since) return;
    since = next;
  }
}
