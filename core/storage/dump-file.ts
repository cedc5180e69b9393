import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { StorageError } from './adapter.ts';
import type { DumpRow } from './dump.ts';

/*
 * A moved store as a file of lines, described in docs/storage.md: a head, a JSON array per row, and an end that counts
 * the rows and holds the SHA-256 of all bytes before it.
 */
const HEAD = { format: 'agent-mesh-store', version: 1 };
const CHUNK = 256 * 1024;
/** A value is at most 4 MiB, escaped at most six times that. */
const MAX_LINE = 64 * 1024 * 1024;

export interface Progress {
  readonly rows: number;
  readonly bytes: number;
}

export interface Moved extends Progress {
  /** The checksum of the file, which is also one of the store's state. */
  readonly sha256: string;
}

/** Writes a file that is there as a whole and durable, or not at all. Rejects when there is one of that name. */
export async function writeDump(
  path: string,
  rows: AsyncIterable<DumpRow>,
  progress: (done: Progress) => void,
): Promise<Moved> {
  const draft = `${path}.part`;
  const file = await open(path, 'ax');
  await file.close();
  const hash = createHash('sha256');
  let count = 0;
  let bytes = 0;
  try {
    const out = await open(draft, 'w', 0o600);
    try {
      let lines = [JSON.stringify(HEAD)];
      let length = 0;
      const flush = async () => {
        const chunk = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        lines = [];
        length = 0;
        hash.update(chunk);
        await out.writeFile(chunk);
        bytes += chunk.length;
        progress({ rows: count, bytes });
      };
      for await (const row of rows) {
        const line = JSON.stringify(row);
        lines.push(line);
        length += line.length;
        count++;
        if (length >= CHUNK) await flush();
      }
      await flush();
      const sha256 = hash.digest('hex');
      await out.writeFile(`${JSON.stringify(['end', { rows: count, sha256 }])}\n`);
      await out.sync();
      await rename(draft, path);
      return { rows: count, bytes, sha256 };
    } finally {
      await out.close();
    }
  } catch (error) {
    await rm(draft, { force: true });
    await rm(path, { force: true });
    throw error;
  }
}

/** The rows of a file; throws a StorageError with `corrupt` behind the last good one unless the file is whole. */
export async function* readDump(path: string, progress: (done: Moved) => void): AsyncGenerator<DumpRow> {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  let ended = false;
  for await (const line of linesOf(path)) {
    if (ended) throw damaged(path, `goes on behind its end`);
    const value = parse(path, rows, line);
    if (bytes === 0) checkHead(path, value);
    else if (isEnd(value)) {
      const sha256 = hash.digest('hex');
      if (value[1].rows !== rows || value[1].sha256 !== sha256) throw damaged(path, 'does not match its checksum');
      ended = true;
      progress({ rows, bytes, sha256 });
      continue;
    } else {
      rows++;
      yield value as DumpRow;
    }
    hash.update(line);
    bytes += line.length;
    if (rows % 1_000 === 0) progress({ rows, bytes, sha256: '' });
  }
  if (!ended) throw damaged(path, `is cut short behind row ${rows}`);
}

/** Lines with their line feed. The last one may lack it. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      rest.push(chunk.subarray(from, at + 1));
      yield rest.length === 1 ? rest[0]! : Buffer.concat(rest);
      rest = [];
      length = 0;
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE) throw damaged(path, 'is no file of lines');
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

function parse(path: string, rows: number, line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    throw damaged(path, `is damaged behind row ${rows}`);
  }
}

function checkHead(path: string, value: unknown): void {
  const { format, version } = (value ?? {}) as Partial<typeof HEAD>;
  if (format !== HEAD.format) throw damaged(path, 'is not an exported store');
  if (version === HEAD.version) return;
  throw damaged(path, `has version ${String(version)}; this program reads version ${HEAD.version}`);
}

function isEnd(value: unknown): value is ['end', { rows: number; sha256: string }] {
  return Array.isArray(value) && value[0] === 'end';
}

function damaged(path: string, what: string): StorageError {
  return new StorageError('corrupt', `${path} ${what}; nothing was imported`);
}
