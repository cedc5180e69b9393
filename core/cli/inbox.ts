import type { SchemaTypes } from '../../schemas/types.ts';
import type { NodeClient } from '../client/node-client.ts';
import { command, type Terminal } from './command.ts';
import { asked, show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

type Frame = SchemaTypes['inbox-frame'];

const PAGE = 100;
/** Characters of a text in a table. */
const GLANCE = 60;

export const inbox = command({
  summary: 'Shows the envelopes the running node has received and its agent has not acknowledged.',
  options: {
    follow: { letter: 'f', summary: 'go on with what comes, until Ctrl-C; with --json one document a line' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['inbox', 'inbox --follow'],
  async run(call, _, terminal) {
    const node = nodeOf(call, terminal);
    const { json, follow } = call.options;
    if (follow) return followed(node, json, terminal);
    return show(call, terminal, async () => {
      const found: Frame[] = [];
      for await (const frame of framesOf(node)) found.push(frame);
      if (found.length === 0) return { found, lines: 'The inbox is empty.' };
      return { found, lines: table([['CURSOR', 'TYPE', 'CONVERSATION', 'FROM', 'SAYS'], ...found.map(rowOf)]) };
    });
  },
});

async function followed(node: NodeClient, json: boolean, terminal: Terminal): Promise<0> {
  const stop = new AbortController();
  void terminal.untilStopped().then(() => stop.abort());
  const tell = (frame: Frame) => terminal.out(json ? JSON.stringify(frame) : rowOf(frame).join('  '));
  let last = 0;
  await asked(async () => {
    for await (const frame of framesOf(node)) {
      last = frame.cursor;
      tell(frame);
    }
  });
  for await (const frame of node.inbox({ since: last, signal: stop.signal })) tell(frame);
  return 0;
}

async function* framesOf(node: NodeClient): AsyncGenerator<Frame> {
  for (let since = 0; ; ) {
    const { frames, next } = await node.inboxPage({ since, limit: PAGE });
    yield* frames;
    if (frames.length === 0 || next === since) return;
    since = next;
  }
}

function rowOf({ cursor, msg_type, conversation_id, sender, payload }: Frame): string[] {
  return [`${cursor}`, msg_type, conversation_id, sender, saidIn(payload)];
}

/** The text of a payload that has one, on one line. */
function saidIn(payload: unknown): string {
  const { text, message, reason } = (payload ?? {}) as Record<'text' | 'message' | 'reason', unknown>;
  const said = [text, message, reason].find((one) => typeof one === 'string') ?? '';
  const line = String(said).replace(/\s+/g, ' ');
  return line.length > GLANCE ? `${line.slice(0, GLANCE)}...` : line || '-';
}
