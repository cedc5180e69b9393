import { randomBytes } from 'node:crypto';

/** Integers that a number of JavaScript may not hold have at least so many digits. */
const LONG_NUMBER = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const INTEGER = /^-?\d{16,}$/;

/**
 * JSON whose integers keep every digit: those that a number cannot hold come as bigint. An RPC writes lamports and rent
 * epochs as numbers up to 2^64, and `JSON.parse` would round them silently.
 */
export function parseExactly(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  // Nobody can write a text that is taken for a number, because nobody knows this.
  const mark = randomBytes(12).toString('base64');
  return JSON.parse(marked(text, mark), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** The text with its long integers written as strings that begin with `mark`; what is in strings stays. */
function marked(text: string, mark: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const open = quote === -1 ? text.length : quote;
    const between = text.slice(at, open);
    parts.push(LONG_NUMBER.test(between) ? between.replace(NUMBER, (found) => exact(found, mark)) : between);
    at = endOfString(text, open);
    parts.push(text.slice(open, at));
  }
  return parts.join('');
}

function exact(number: string, mark: string): string {
  return INTEGER.test(number) && !Number.isSafeInteger(Number(number)) ? `"${mark}${number}"` : number;
}

/** Where the string that begins here ends, behind its closing quote. */
function endOfString(text: string, open: number): number {
  for (let from = open + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}
