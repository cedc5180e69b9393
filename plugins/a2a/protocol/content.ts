import type { Message, Part } from './objects.ts';
import { invalidParam, Refusal } from './refusal.ts';

/** Bytes of the work that an offer asks for. */
const MOST_BYTES = 4_096;
const TEXT = /^text\//i;
const JSON_TYPE = /^application\/([\w.+-]+\+)?json\b/i;
/** Controls other than tab and line ends: they hide text from people. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The words of a message: its texts and, as JSON, its data. Files are refused. */
export function wordsOf({ parts }: Message): string {
  const words = parts.map(wordsOfPart).join('\n\n').replace(CONTROLS, '').trim();
  if (words === '') throw invalidParam('message.parts', 'must have words in them');
  if (Buffer.byteLength(words) > MOST_BYTES)
    throw invalidParam('message.parts', `must be at most ${MOST_BYTES} bytes together`);
  return words;
}

function wordsOfPart({ text, data, raw, url, mediaType = '' }: Part): string {
  if (raw !== undefined || url !== undefined) throw new Refusal('CONTENT_TYPE_NOT_SUPPORTED');
  if (text !== undefined) {
    if (mediaType !== '' && !TEXT.test(mediaType) && !JSON_TYPE.test(mediaType))
      throw new Refusal('CONTENT_TYPE_NOT_SUPPORTED');
    return text;
  }
  if (data === undefined) throw invalidParam('message.parts', 'must each have text or data');
  return JSON.stringify(data);
}

/** A delivery that came inline, as a part. */
export function partOf(content: Buffer, mediaType: string): Part {
  if (JSON_TYPE.test(mediaType)) {
    const data = parsed(content);
    if (data !== undefined) return { data, mediaType: 'application/json' };
  }
  if (TEXT.test(mediaType) && isText(content)) return { text: content.toString('utf8'), mediaType };
  return { raw: content.toString('base64'), mediaType };
}

function isText(content: Buffer): boolean {
  return Buffer.from(content.toString('utf8'), 'utf8').equals(content);
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A text of others for people and models, without what hides in it. */
export function shownText(text: string, most: number): string {
  return text.replace(CONTROLS, '').slice(0, most);
}
