import { resolve } from 'node:path';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { ClientError } from '../../client/client-error.ts';
import type { NodeClient } from '../../client/node-client.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import { createFile } from '../../platform/new-file.ts';
import { messageOf } from '../../platform/problem.ts';
import { visibleLines } from '../../platform/visible-text.ts';
import { Failure, UsageError } from '../command.ts';
import { contentInWords, hashOf, plainText } from '../deal/content.ts';
import type { Found } from '../show.ts';
import { table } from '../table.ts';
import { framesOf } from './frames.ts';

type Frame = SchemaTypes['inbox-frame'];

const TEXT = 'text/plain; charset=utf-8';

/** An envelope's content and the content type that its sender gave. */
interface Content {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** One envelope of the inbox in full; with `save` its content goes into that new file. */
export async function oneLetter(
  node: NodeClient,
  which: string,
  save: string | undefined,
  mesh: string,
): Promise<Found> {
  const frame = await find(node, which);
  const content = await contentOf(node, frame);
  const saved = save === undefined ? undefined : savedTo(save, content, frame);
  const { cursor, msg_type, conversation_id, sender, timestamp } = frame;
  const rows = [
    ['type', msg_type],
    ['conversation', conversation_id],
    ['from', sender],
    ['at', timestamp],
  ];
  const how = `${mesh} inbox ${cursor} --save FILE`;
  const shown = content ? contentInWords(content.bytes, content.type, how) : elsewhere(frame);
  return {
    found: { frame, ...(content && { content: described(content) }), ...(saved !== undefined && { saved }) },
    lines: [table(rows), saved === undefined ? shown : `${content!.bytes.length} bytes are in ${saved}`].join('\n'),
  };
}

async function find(node: NodeClient, which: string): Promise<Frame> {
  if (/^\d{1,15}$/.test(which)) {
    const cursor = Number(which);
    const frame = await frameAt(node, cursor);
    if (frame) return frame;
    throw new Failure(`There is no ${which} in the inbox; mesh inbox lists what is.`);
  }
  if (!/^[0-9a-f]{32}$/i.test(which))
    throw new UsageError(`WHICH takes a cursor of mesh inbox, or a conversation of 32 hex digits, not ${which}`);
  let last: Frame | undefined;
  for await (const frame of framesOf(node, which.toLowerCase())) if (frame.msg_type === 'DELIVER') last = frame;
  if (last) return last;
  throw new Failure(`Nothing was delivered in ${which} that the inbox still has; mesh deals ${which} shows the deal.`);
}

async function frameAt(node: NodeClient, cursor: number): Promise<Frame | undefined> {
  try {
    const { frames } = await node.inboxPage({ since: Math.max(0, cursor - 1), limit: 1 });
    return frames.find((frame) => frame.cursor === cursor);
  } catch (error) {
    // A cursor that was never given.
    if (error instanceof ClientError && error.status === 400) return undefined;
    throw error;
  }
}

async function contentOf(node: NodeClient, frame: Frame): Promise<Content | undefined> {
  const { deliver, payload } = frame;
  if (deliver?.inline_b64 !== undefined)
    return { bytes: bytesIn(deliver.inline_b64), type: deliver.content_type ?? TEXT };
  if (deliver?.payload_uri?.startsWith('mesh://')) {
    return { bytes: await node.delivery(frame.conversation_id), type: deliver.content_type ?? TEXT };
  }
  if (deliver) return undefined;
  const said = textIn(payload);
  return {
    bytes: new TextEncoder().encode(said ?? JSON.stringify(payload)),
    type: said === undefined ? 'application/json' : TEXT,
  };
}

/** The text of a payload that has one. */
export function textIn(payload: unknown): string | undefined {
  const { text, message, reason } = (payload ?? {}) as Record<'text' | 'message' | 'reason', unknown>;
  const said = [text, message, reason].find((one) => typeof one === 'string' && one !== '');
  return typeof said === 'string' ? said : undefined;
}

function elsewhere({ deliver }: Frame): string {
  return `The work is at ${visibleLines(deliver?.payload_uri ?? '')}: the sender has put it there, and this node has not fetched it.`;
}

function described({ bytes, type }: Content) {
  const text = plainText(bytes);
  return { bytes: bytes.length, content_type: type, sha256: hashOf(bytes), ...(text !== undefined && { text }) };
}

/** Only a file that is not there is made, under the name its owner gave, readable by its owner alone. */
function savedTo(save: string, content: Content | undefined, frame: Frame): string {
  if (!content) throw new Failure(elsewhere(frame));
  const file = resolve(save);
  try {
    createFile(file, content.bytes);
    return file;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const why = isThere ? 'it is there already; name another file' : messageOf(error);
    throw new Failure(`${file} is not written: ${why}`, { file }, error);
  }
}

function bytesIn(base64: string): Uint8Array {
  const bytes = fromBase64(base64);
  if (bytes) return bytes;
  throw new Failure('The node answered with content that is no base64.');
}
