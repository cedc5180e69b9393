import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { StorageError } from './adapter.ts';
import type { DumpRow } from './dump.ts';

/*
 * A moved store as a file of lines, described in docs/storage.md: a head, a JSON array per row, and an end that counts
 * the rows and holds the SHA-256 of all bytes before it.
 */
export const HEAD = { format: 'agent-mesh-store', version: 1 };
export const CHUNK = 256 * 1024;
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

/** The rows of a file; throws a StorageError with `corrupt` behind the last good one unless the file is whole. */
export async function* readDump(path: string, progress: (done: Moved) => void): AsyncGenerator<DumpRow> {
  const hash = createHash('sha256');
  let rows = 0;
  let bytes = 0;
  let ended = false;
  for await (const line of linesOf(path)) {
    if (ended) throw damaged(path, `goes on behind its end`);
    const value = parse(path, rows, line, bytes === 0);
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
  for await (const chunk of chunksOf(path)) {
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
    if (length > MAX_LINE) throw foreign(path);
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw error instanceof StorageError ? error : unreadable(path, error as Error);
  }
}

function parse(path: string, rows: number, line: Buffer, isFirst: boolean): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    throw isFirst ? foreign(path) : damaged(path, `is damaged behind row ${rows}`);
  }
}

function checkHead(path: string, value: unknown): void {
  const { format, version } = (value ?? {}) as Partial<typeof HEAD>;
  if (format !== HEAD.format) throw foreign(path);
  if (version === HEAD.version) return;
  throw new StorageError(
    'corrupt',
    `${path} has version ${String(version)}; this program reads version ${HEAD.version}. Nothing was imported; import it with the release that wrote it, or a newer one`,
  );
}

function isEnd(value: unknown): value is ['end', { rows: number; sha256: string }] {
  return Array.isArray(value) && value[0] === 'end';
}

function damaged(path: string, what: string): StorageError {
  return new StorageError('corrupt', `${path} ${what}; nothing was imported. Export it again, or copy it again`);
}

function foreign(path: string): StorageError {
  return new StorageError(
    'corrupt',
    `${path} is not an exported store; nothing was imported. Give a file that "mesh export" wrote`,
  );
}

function unreadable(path: string, { message }: Error): StorageError {
  return new StorageError(
    'unavailable',
    `${path} cannot be read: ${message}; nothing was imported. Give a file that "mesh export" wrote`,
  );
}
