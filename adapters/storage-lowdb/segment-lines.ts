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

/** The line of this record. A line holds no line feed: JSON writes the one of a text as an escape. */
export function lineOf(lines: Lines, id: number): string | undefined {
  const start = `[${id},`;
  let from = 0;
  if (!startsWith(lines, start)) {
    from = lines.indexOf(`\n${start}`) + 1;
    if (from === 0) return undefined;
  }
  const end = lines.indexOf(NEW_LINE, from);
  return lines.toString('utf8', from, end < 0 ? lines.length : end);
}

function startsWith(lines: Lines, text: string): boolean {
  return lines.toString('latin1', 0, text.length) === text;
}
