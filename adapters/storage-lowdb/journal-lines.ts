import type { Write } from './state.ts';
import type { StoreChange } from './tables.ts';

/** Takes the lines of a frame one after the other. */
export interface Lines {
  line(text: string): void;
}

/** Stands in the line of a change where its value is the next line, as it is. */
const NEXT_LINE = 0;

/**
 * Commits as lines of a journal frame: the number of the commit, then each of its changes as JSON. A value, which
 * mostly is JSON itself, follows its change in a line of its own, unless it holds a character that no line may hold.
 */
export function writeCommits(commits: readonly Write[], to: Lines): void {
  for (const { number, changes } of commits) {
    to.line(String(number));
    for (const change of changes) writeChange(change, to);
  }
}

function writeChange(change: StoreChange, to: Lines): void {
  if (change[0] === 'put' && isOneLine(change[4])) {
    const [kind, collection, id, version, value, entries, expires] = change;
    to.line(JSON.stringify([kind, collection, id, version, NEXT_LINE, entries, expires]));
    to.line(value);
  } else if (change[0] === 'append' && isOneLine(change[3])) {
    const [kind, log, id, value, postings] = change;
    to.line(JSON.stringify([kind, log, id, NEXT_LINE, postings]));
    to.line(value);
  } else to.line(JSON.stringify(change));
}

/** NUL is kept out so that no payload holds a whole frame (frame.ts), and so is any half of a surrogate pair. */
const NOT_IN_A_LINE = /[\n\0\ud800-\udfff]/;

function isOneLine(value: string): boolean {
  return value !== '' && !NOT_IN_A_LINE.test(value);
}

/** The commits of a frame, also of formats 1 and 2: a line each, `[number, changes]`. Undefined when it is of none of them. */
export function readCommits(payload: Buffer): Write[] | undefined {
  const lines = payload.toString().split('\n');
  const commits: { number: number; changes: StoreChange[] }[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at] === '') continue;
    const line = JSON.parse(lines[at]!);
    if (typeof line === 'number') {
      commits.push({ number: line, changes: [] });
      continue;
    }
    if (typeof line[0] === 'number') {
      commits.push({ number: line[0], changes: line[1] });
      continue;
    }
    const place = line[0] === 'put' ? 4 : line[0] === 'append' ? 3 : undefined;
    if (place !== undefined && line[place] === NEXT_LINE) line[place] = lines[++at];
    const commit = commits.at(-1);
    if (!commit) return undefined;
    commit.changes.push(line);
  }
  return commits;
}
