import { resolve } from 'node:path';
import type { SchemaTypes } from '../../../schemas/types.ts';
import type { NodeClient } from '../../client/node-client.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import { visibleLines } from '../../platform/visible-text.ts';
import { calledAs } from '../called-as.ts';
import { command, type Terminal, UsageError } from '../command.ts';
import { plainText } from '../deal/content.ts';
import { asked, show } from '../show.ts';
import { table } from '../table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from '../target.ts';
import { framesOf } from './frames.ts';
import { oneLetter, textIn } from './one-letter.ts';

type Frame = SchemaTypes['inbox-frame'];

/** Characters of a text in a table. */
const GLANCE = 60;

export const inbox = command({
  summary: 'Shows the envelopes the running node has received and its agent has not acknowledged.',
  about: `With WHICH it shows one in full: a text as text, anything else by size and hash. Deliveries above 48 KiB are fetched first.
--save makes a new file and replaces none.`,
  words: [{ name: 'WHICH', summary: 'a cursor of the list, or a conversation, for its delivery', optional: true }],
  options: {
    follow: { letter: 'f', summary: 'go on with what comes, until Ctrl-C; with --json one document a line' },
    save: { takes: 'FILE', summary: 'write the content of that one into a new file' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['inbox', 'inbox --follow', 'inbox 7', 'inbox CONVERSATION --save report.pdf'],
  async run(call, _, terminal) {
    const [which] = call.words;
    const { json, follow, save } = call.options;
    if (save !== undefined && which === undefined)
      throw new UsageError('--save needs WHICH: a cursor or a conversation');
    if (follow && which !== undefined) throw new UsageError('--follow shows all that comes, without WHICH');
    const node = nodeOf(call, terminal);
    if (follow) return followed(node, json, terminal);
    const mesh = calledAs(terminal.env, resolve('.'));
    if (which !== undefined) return show(call, terminal, () => oneLetter(node, which, save, mesh));
    return show(call, terminal, async () => {
      const found: Frame[] = [];
      for await (const frame of framesOf(node)) found.push(frame);
      if (found.length === 0) return { found, lines: 'The inbox is empty.' };
      const rows = table([['CURSOR', 'TYPE', 'CONVERSATION', 'FROM', 'SAYS'], ...found.map(rowOf)]);
      return { found, lines: `${rows}\n\nOne in full: ${mesh} inbox CURSOR` };
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

function rowOf(frame: Frame): string[] {
  const { cursor, msg_type, conversation_id, sender } = frame;
  return [`${cursor}`, msg_type, conversation_id, sender, saidIn(frame)];
}

/** An envelope's text or delivery on one line, cut for a table. */
function saidIn({ payload, deliver }: Frame): string {
  const said = deliver ? deliveredIn(deliver) : (textIn(payload) ?? '');
  const line = visibleLines(said).replace(/\s+/g, ' ').trim();
  return line.length > GLANCE ? `${line.slice(0, GLANCE)}...` : line || '-';
}

function deliveredIn({
  inline_b64,
  content_type = 'text/plain',
  payload_size,
  payload_uri,
}: NonNullable<Frame['deliver']>) {
  const bytes = inline_b64 === undefined ? undefined : fromBase64(inline_b64);
  if (!bytes) return payload_size === undefined ? (payload_uri ?? '') : `${payload_size} bytes of ${content_type}`;
  return plainText(bytes) ?? `${bytes.length} bytes of ${content_type}`;
}
