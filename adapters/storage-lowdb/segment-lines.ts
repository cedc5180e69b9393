import type { TailRecord } from './log-tail.ts';

/** A record as a line of a segment. */
type Line = readonly [id: number, postings: readonly string[], value: string];

/** The payload of a block. Most pages ask for one record of it, so a line is made into text when it is asked for. */
export type Lines = Buffer;

export function lineFor(id: number, { postings, value }: TailRecord): string {
  return JSON.stringify([id, postings, value] satisfies Line);
}

export function recordOf(line: string): [number, TailRecord] {
  const [id, postings, value] = JSON.parse(line) as Line;
  return [id, { value, postings }];
}

const NEW_LINE = 0x0a;
const QUOTE = 0x22;
const LIST = 0x5b;
const ESCAPE = 0x5c;
const LIST_END = 0x5d;

/** The value of a record, without the rest of its line. */
export function valueIn(line: Buffer): string {
  return JSON.parse(line.toString('utf8', endOfPostings(line) + 2, line.length - 1));
}

/** The place of the bracket that ends the postings; a posting may have the same bracket in it. */
function endOfPostings(line: Buffer): number {
  let isText = false;
  for (let at = line.indexOf(LIST, 1) + 1; at < line.length; at++) {
    const byte = line[at];
    if (byte === QUOTE) isText = !isText;
    else if (byte === ESCAPE) at++;
    else if (byte === LIST_END && !isText) return at;
  }
  throw new SyntaxError('a record without an end of its postings');
}

/**
 * The line of this record, which is the one behind `place` others unless ids are missing. A line holds no line feed: JSON writes the one
 * of a text as an escape.
 */
export function lineOf(lines: Lines, id: number, place: number): Buffer | undefined {
  const start = `[${id},`;
  let from = 0;
  for (let n = 0; n < place && from >= 0; n++) from = lines.indexOf(NEW_LINE, from) + 1 || -1;
  if (from < 0 || !startsAt(lines, from, start)) {
    from = startsAt(lines, 0, start) ? 0 : lines.indexOf(`\n${start}`) + 1 || -1;
    if (from < 0) return undefined;
  }
  const end = lines.indexOf(NEW_LINE, from);
  return lines.subarray(from, end < 0 ? lines.length : end);
}

function startsAt(lines: Lines, at: number, text: string): boolean {
  return lines.toString('latin1', at, at + text.length) === text;
}
