import { invalidField } from '../../contracts/errors.ts';
import { readInbound } from '../../messaging/inbound.ts';
import type { InboxRecord } from '../../messaging/inbox-records.ts';
import { receivedInbound } from '../../messaging/received-envelope.ts';
import { parseConversationId } from '../../protocol/identity/ids.ts';
import { provider } from '../../provider.ts';
import { Inbox, type InboxMessage } from '../../services.ts';
import { InboxService } from '../services/inbox.ts';

const USUAL = 50;
const MOST = 200;

/** Lets plugins read the inbox; acknowledging is the agent's own. */
export const inboxProvider = provider(Inbox, {
  uses: { inbox: InboxService },
  open: ({ inbox }): Inbox => readsOf(inbox),
});

/** An inbox as plugins read it. */
export function readsOf(inbox: InboxService): Inbox {
  /** Whoever waits behind a cursor that was never given would hear nothing for a long time, or for ever. */
  function known(after: number): number {
    if (Number.isSafeInteger(after) && after >= 0 && after <= inbox.newest) return after;
    throw invalidField('/after', `is no cursor of the inbox: begin at 0, and at most at ${inbox.newest}`);
  }
  return {
    async page({ after = 0, limit = USUAL, conversationId } = {}) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw invalidField('/limit', `must be 1 to ${MOST}`);
      if (conversationId !== undefined && !parseConversationId(conversationId))
        throw invalidField('/conversationId', 'is no conversation id: 32 hex digits');
      const records = await inbox.page(known(after), Math.min(limit, MOST), conversationId?.toLowerCase());
      return { messages: records.map(messageOf), next: records.at(-1)?.cursor ?? after };
    },
    follow: (signal, after) => followed(inbox.tail(known(after ?? inbox.newest), signal)),
  };
}

async function* followed(records: AsyncGenerator<InboxRecord, void>): AsyncGenerator<InboxMessage, void> {
  for await (const record of records) yield messageOf(record);
}

/** The node checked a letter before it wrote it into the inbox. */
function messageOf(record: InboxRecord): InboxMessage {
  const message = readInbound(record);
  if (!message.ok) throw new Error(`envelope ${record.envelope_id} of the inbox cannot be read: ${message.reason}`);
  return { ...receivedInbound(message.value), cursor: record.cursor };
}
