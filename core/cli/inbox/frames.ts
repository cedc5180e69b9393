import type { SchemaTypes } from '../../../schemas/types.ts';
import type { NodeClient } from '../../client/node-client.ts';

const PAGE = 100;

/** The frames that wait in the inbox, oldest first; with `conversation` only those of that one. */
export async function* framesOf(node: NodeClient, conversation?: string): AsyncGenerator<SchemaTypes['inbox-frame']> {
  const filter = conversation === undefined ? {} : { conversation_id: conversation };
  for (let since = 0; ; ) {
    const { frames, next } = await node.inboxPage({ since, limit: PAGE, ...filter });
    yield* frames;
    if (frames.length === 0 || next === since) return;
    since = next;
  }
}
