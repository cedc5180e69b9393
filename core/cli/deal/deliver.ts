import { readFileSync } from 'node:fs';
import { toBase64 } from '../../platform/bytes.ts';
import { messageOf } from '../../platform/problem.ts';
import { command, UsageError } from '../command.ts';
import { NODE_FLAGS, NODE_OPTIONS } from '../target.ts';
import { textOf } from '../text.ts';
import { plainText } from './content.ts';
import { sent, takeStep } from './step.ts';
import { CONVERSATION, conversationOf } from './words.ts';

/** Bytes of a delivery that a node takes. */
const MOST = 10 * 1024 * 1024;

export const deliver = command({
  summary: 'Delivers the work of a deal, as its provider.',
  about: 'A text on the command line, "-" for standard input, or --file for a file; at most 10 MiB.',
  words: [CONVERSATION, { name: 'TEXT', summary: 'the work, when it is no file', optional: true }],
  options: {
    file: { takes: 'FILE', summary: 'the file that is the work' },
    type: { takes: 'TYPE', summary: 'its MIME type', default: 'plain text, or bytes of no kind' },
    sealed: { summary: 'encrypt it for its recipient' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['deliver CONVERSATION "Six words."', 'deliver CONVERSATION --file report.pdf --type application/pdf'],
  run(call, _, terminal) {
    const [conversation = '', text] = call.words;
    const { file, type, sealed } = call.options;
    const request = {
      conversation_id: conversationOf(conversation),
      ...contentOf(text, file),
      ...(type !== undefined && { content_type: type }),
      ...(sealed && { sealed }),
    };
    return takeStep(call, terminal, async (node) => sent('Delivered', await node.deliver(request)));
  },
});

function contentOf(text: string | undefined, file: string | undefined) {
  if ((text === undefined) === (file === undefined)) throw new UsageError('give either TEXT or --file FILE');
  if (text !== undefined) return { content: textOf(text) };
  const bytes = bytesOf(file!);
  if (bytes.length > MOST)
    throw new UsageError(`--file ${file} has ${bytes.length} bytes; a delivery has at most ${MOST}`);
  const isText = plainText(bytes) !== undefined;
  return { content_b64: toBase64(bytes), ...(!isText && { content_type: 'application/octet-stream' }) };
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`--file ${file} cannot be read: ${messageOf(error)}`);
  }
}
