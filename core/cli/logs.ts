import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { logFilesOf } from '../platform/log-file.ts';
import { prettyLine } from '../platform/pretty-line.ts';
import { type Paint, painter } from './colour.ts';
import { command, Failure, type Terminal, UsageError } from './command.ts';
import { settingsOf } from './target.ts';

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
const LEVEL_NAMES = Object.keys(LEVELS) as (keyof typeof LEVELS)[];
const COLOURS = { debug: 'dim', info: 'green', warn: 'yellow', error: 'red' } as const;
const LINES = 50;
/** Milliseconds between two looks at a file that is followed. */
const LOOK = 200;
const PIECE = 64 * 1024;
/** Where the time of a line for people ends, and where its level does. */
const TIME = 12;
const LEVEL = 18;

export const logs = command({
  summary: 'Shows the log of a node that writes it to a file, in a form for people.',
  about: `The file is log.file of the configuration, or --log-file of mesh start; mesh init sets it. A node without one writes its log to
standard output. With --json every line is the document that the node wrote.`,
  options: {
    follow: { letter: 'f', summary: 'go on with what comes, until Ctrl-C' },
    lines: { letter: 'n', takes: 'N', summary: 'how many of the last lines', default: `${LINES}` },
    level: { takes: 'LEVEL', summary: 'only this level and above', choices: LEVEL_NAMES, default: 'debug' },
  },
  flags: ['log-file'],
  examples: ['logs', 'logs --follow --level warn'],
  async run({ options, flags }, _, terminal) {
    const { file } = settingsOf(flags, terminal).log;
    if (file === undefined) {
      const way = 'set log.file in plugins.json, or start it with --log-file FILE';
      throw new Failure(`this node writes its log to standard output and keeps none; ${way}`);
    }
    const count = countOf(options.lines ?? `${LINES}`);
    const tell = teller(terminal, options.json, options.level);
    if (!existsSync(file)) throw new Failure(`there is no ${file}; has the node been started?`, { file });
    const from = statSync(file).size;
    for (const line of lastLines(file, from, count)) tell(line);
    if (options.follow) await follow(file, from, tell, terminal);
    return 0;
  },
});

function countOf(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UsageError(`--lines takes a whole number, not ${text}`);
}

/** The last lines up to a size of the newest file, with older files before it where it is short. */
function lastLines(path: string, size: number, count: number): string[] {
  if (count === 0) return [];
  let found: string[] = [];
  for (const [at, file] of logFilesOf(path).entries()) {
    if (!existsSync(file)) break;
    const bytes = readFileSync(file);
    const text = (at === 0 ? bytes.subarray(0, size) : bytes).toString('utf8');
    found = [...text.split('\n').filter(Boolean), ...found];
    if (found.length >= count) break;
  }
  return found.slice(-count);
}

/** Tells what is appended, in the next file too once this one is put aside. */
async function follow(path: string, from: number, tell: (line: string) => void, terminal: Terminal): Promise<void> {
  const stop = new AbortController();
  void terminal.untilStopped().then(() => stop.abort());
  const piece = Buffer.alloc(PIECE);
  let [file, at, rest, decoder] = [openSync(path, 'r'), from, '', new StringDecoder('utf8')];
  try {
    for (;;) {
      const next = statSync(path, { throwIfNoEntry: false });
      // One that was put aside is not written to any more: what is left in it is read before the next.
      const isOver = next !== undefined && (next.ino !== fstatSync(file).ino || next.size < at);
      for (let read = 1; read > 0; at += read) {
        read = readSync(file, piece, 0, PIECE, at);
        const lines = (rest + decoder.write(piece.subarray(0, read))).split('\n');
        rest = lines.pop()!;
        for (const line of lines) if (line !== '') tell(line);
      }
      if (stop.signal.aborted) return;
      if (isOver) {
        closeSync(file);
        [file, at, rest, decoder] = [openSync(path, 'r'), 0, '', new StringDecoder('utf8')];
      } else await pause(LOOK, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    closeSync(file);
  }
}

/** Prints a line of the log when its level is high enough; a line that is no log entry is printed unchanged. */
function teller(terminal: Terminal, json: boolean, level = 'debug'): (line: string) => void {
  const least = LEVELS[level as keyof typeof LEVELS];
  const paint = painter(terminal.colours);
  return (line) => {
    const entry = parsed(line);
    if (entry && entry.level < least) return;
    if (json) terminal.out(entry ? line : JSON.stringify({ msg: line }));
    else terminal.out(entry ? pretty(entry, line, paint) : line);
  };
}

interface Entry {
  readonly level: number;
  readonly time: number;
}

function parsed(line: string): Entry | undefined {
  try {
    const { level, time } = JSON.parse(line) as Partial<Entry>;
    return Number.isFinite(level) && Number.isFinite(time) ? { level: level!, time: time! } : undefined;
  } catch {
    return undefined;
  }
}

/** A file may go back over days: the line for people, behind its date. */
function pretty({ level, time }: Entry, line: string, paint: Paint): string {
  const text = prettyLine(line).trimEnd();
  const name = LEVEL_NAMES.findLast((one) => LEVELS[one] <= level) ?? 'debug';
  const at = `${new Date(time).toISOString().slice(0, 10)} ${text.slice(0, TIME)}`;
  return `${paint('dim', at)} ${paint(COLOURS[name], text.slice(TIME + 1, LEVEL))}${text.slice(LEVEL)}`;
}
