import type { SchemaTypes } from '../../schemas/types.ts';
import { invalidField } from '../contracts/errors.ts';
import { StreamEnd } from '../http/frame.ts';
import type { Inbox } from '../messaging/inbox.ts';
import { parseMessageName } from '../protocol/envelopes/message-types.ts';
import { inboxFrame } from './inbox-frame.ts';

/** Sends an agent its letters over a WebSocket: those that wait where it asks for them, then what comes. */
export async function* inboxStream(
  inbox: Inbox,
  query: SchemaTypes['inbox-query'],
  signal: AbortSignal,
  ignored: readonly string[] = [],
): AsyncGenerator<SchemaTypes['inbox-stream-frame'], void> {
  const ahead = problemOf(inbox, query.since);
  if (ahead) throw new StreamEnd(1008, `since ${ahead}`);
  const type = query.msg_type === undefined ? undefined : (parseMessageName(query.msg_type) ?? 'none');
  const conversation = query.conversation_id?.toLowerCase();
  const replays = query.since !== undefined || query.unacked === '1' || query.unacked === 'true';
  const from = replays ? (query.since ?? 0) : inbox.newest;
  if (!replays) yield { type: 'inbox', cursor: from, waiting: await inbox.waiting(), ...told(ignored) } as const;
  for await (const record of inbox.tail(from, signal)) {
    if (type !== undefined && record.msg_type !== type) continue;
    if (conversation !== undefined && record.conversation_id !== conversation) continue;
    yield inboxFrame(record);
  }
}

/** The same by pages, for clients without WebSockets. */
export async function inboxPage(
  inbox: Inbox,
  { since = 0, limit = 50, conversation_id }: SchemaTypes['inbox-page-query'],
): Promise<SchemaTypes['inbox-page']> {
  const ahead = problemOf(inbox, since);
  if (ahead) throw invalidField('/since', ahead);
  const records = await inbox.page(since, limit, conversation_id?.toLowerCase());
  return { frames: records.map(inboxFrame), next: records.at(-1)?.cursor ?? since };
}

/** Whoever waits behind a cursor that was never given would hear nothing for a long time, or for ever. */
function problemOf({ newest }: Inbox, since = 0): string | undefined {
  return since > newest ? `is beyond the newest cursor, which is ${newest}: begin at 0 or at most there` : undefined;
}

function told(ignored: readonly string[]): { readonly ignored?: string[] } {
  return ignored.length > 0 ? { ignored: [...ignored] } : {};
}
