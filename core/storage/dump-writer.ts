import { createHash } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StorageError } from './adapter.ts';
import type { DumpRow } from './dump.ts';
import { CHUNK, HEAD, type Moved, type Progress } from './dump-file.ts';

/**
 * Writes a file that is there as a whole and durable, or not at all, however this process ends: until it is whole it is
 * called `FILE.part`. Rejects with a StorageError when there is one of that name.
 */
export async function writeDump(
  path: string,
  rows: AsyncIterable<DumpRow>,
  progress: (done: Progress) => void,
): Promise<Moved> {
  const draft = `${path}.part`;
  await onDisk(path, refuseTaken(path));
  try {
    const out = await onDisk(path, open(draft, 'w', 0o600));
    const moved = await writeRows(out, path, rows, progress).finally(() => out.close());
    await onDisk(path, publish(draft, path));
    return moved;
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeRows(
  out: FileHandle,
  path: string,
  rows: AsyncIterable<DumpRow>,
  progress: (done: Progress) => void,
): Promise<Moved> {
  const hash = createHash('sha256');
  let count = 0;
  let bytes = 0;
  let lines = [JSON.stringify(HEAD)];
  let length = 0;
  const flush = async () => {
    const chunk = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    lines = [];
    length = 0;
    hash.update(chunk);
    await onDisk(path, out.writeFile(chunk));
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
  await onDisk(path, out.writeFile(`${JSON.stringify(['end', { rows: count, sha256 }])}\n`));
  await onDisk(path, out.sync());
  return { rows: count, bytes, sha256 };
}

async function refuseTaken(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found) throw taken(path);
}

/** Gives the file its name, but never that of another one, and makes the name durable. */
async function publish(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw taken(path);
    // A file system without hard links, such as that of a memory stick.
    await refuseTaken(path);
    await rename(draft, path);
  }
  const directory = await open(dirname(path), 'r');
  await directory.sync().finally(() => directory.close());
}

function taken(path: string): StorageError {
  return new StorageError('conflict', `${path} is there already; give another name, or remove it first`);
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

async function onDisk<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StorageError(
      FULL.has(code ?? '') ? 'full' : 'unavailable',
      `${path} cannot be written: ${message}; nothing was exported. Give a file in a folder that is there, may be written to and has room`,
      { cause: error },
    );
  }
}
