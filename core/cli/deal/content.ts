import { createHash } from 'node:crypto';
import { toHex } from '../../platform/bytes.ts';
import { visibleLines } from '../../platform/visible-text.ts';

/** Characters of a delivered text that a terminal shows; all of it goes into a file with --save. */
const MOST_SHOWN = 4_000;

/** The text in bytes that are one; undefined of what is no UTF-8, or has characters that no text has. */
export function plainText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

export function hashOf(bytes: Uint8Array): string {
  return toHex(createHash('sha256').update(bytes).digest());
}

/** Bytes that came from a stranger: a text as text up to a bound, anything else by size and hash. */
export function contentInWords(bytes: Uint8Array, type: string, save: string): string {
  const text = plainText(bytes);
  const what = `${bytes.length} bytes of ${visibleLines(type)}, SHA-256 ${hashOf(bytes)}`;
  if (text === undefined) return `${what}\nTo keep it: ${save}`;
  const shown = visibleLines(text.slice(0, MOST_SHOWN));
  const rest = text.length > MOST_SHOWN ? [`... ${text.length - MOST_SHOWN} more characters; all of it: ${save}`] : [];
  return [what, '', shown.replace(/\n$/, ''), ...rest].join('\n');
}
