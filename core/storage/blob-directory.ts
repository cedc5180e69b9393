import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toHex } from '../platform/bytes.ts';
import type { Clock, Random } from '../platform/clock.ts';
import { makeFolder } from '../platform/new-file.ts';
import { StorageError } from './adapter.ts';
import { blobHash, HASH_STEP } from './blob-hash.ts';
import { type Accept, type BlobStat, type Blobs, isCid, type StoredBlob } from './blobs.ts';

export interface BlobDirectoryOptions {
  /** A directory of its own; made when it is missing. */
  readonly dir: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'bytes'>;
  /**
   * Uploads in progress that were not written to for so many milliseconds are removed at start. 0 when absent: right
   * for a directory that one process uses. Processes that share one set it above any pause of an upload.
   */
  readonly staleAfter?: number;
}

/**
 * Blobs as files, two levels deep: `ab/cd/abcd…`. A file appears under its name whole and on the disk, or not at all:
 * it is written under `uploads`, synced, renamed, and the directories above it are synced.
 */
export async function openBlobDirectory(options: BlobDirectoryOptions): Promise<Blobs> {
  const { dir, clock, random, staleAfter = 0 } = options;
  await onDisk((async () => makeFolder(uploadsOf(dir)))());
  await onDisk(removeStale(uploadsOf(dir), clock.now() - staleAfter));
  return new BlobDirectory(dir, random);
}

class BlobDirectory implements Blobs {
  readonly #dir: string;
  readonly #random: Pick<Random, 'bytes'>;

  constructor(dir: string, random: Pick<Random, 'bytes'>) {
    this.#dir = dir;
    this.#random = random;
  }

  async put(content: AsyncIterable<Uint8Array>, maxBytes: number, accept?: Accept): Promise<BlobStat> {
    const upload = join(uploadsOf(this.#dir), toHex(this.#random.bytes(16)));
    const handle = await onDisk(open(upload, 'wx', 0o600));
    try {
      const written = await write(handle, content, maxBytes).finally(() => handle.close());
      await accept?.(written);
      await onDisk(this.#publish(upload, written.cid));
      return written;
    } catch (error) {
      await rm(upload, { force: true });
      throw error;
    }
  }

  async get(cid: string): Promise<StoredBlob | undefined> {
    const found = await this.stat(cid);
    return found && { ...found, content: readVerified(this.#path(cid), cid) };
  }

  async stat(cid: string): Promise<BlobStat | undefined> {
    if (!isCid(cid)) return undefined;
    const found = await onDisk(stat(this.#path(cid)).catch(unlessMissing));
    return found && { cid, size: found.size };
  }

  async delete(cid: string): Promise<boolean> {
    if (!(await this.stat(cid))) return false;
    const removed = await onDisk(rm(this.#path(cid)).then(() => true, unlessMissing));
    if (removed) await onDisk(sync(dirname(this.#path(cid))));
    return removed ?? false;
  }

  /** Takes the place of a file that is there already, which may be damaged. */
  async #publish(upload: string, cid: string): Promise<void> {
    const path = this.#path(cid);
    const leaf = dirname(path);
    await mkdir(leaf, { recursive: true, mode: 0o700 });
    await rename(upload, path);
    // Another upload may have made the directories a moment ago and not be done with syncing them.
    for (const dir of [leaf, dirname(leaf), this.#dir]) await sync(dir);
  }

  #path(cid: string): string {
    return join(this.#dir, cid.slice(0, 2), cid.slice(2, 4), cid);
  }
}

function uploadsOf(dir: string): string {
  return join(dir, 'uploads');
}

async function removeStale(uploads: string, upTo: number): Promise<void> {
  for (const name of await readdir(uploads)) {
    const path = join(uploads, name);
    const found = await stat(path).catch(unlessMissing);
    if (found && found.mtimeMs <= upTo) await rm(path, { force: true });
  }
}

async function write(handle: FileHandle, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<BlobStat> {
  const hash = await blobHash();
  let size = 0;
  for await (const chunk of content) {
    if (size + chunk.length > maxBytes) throw new StorageError('too_large', `a blob has at most ${maxBytes} bytes`);
    for (let at = 0; at < chunk.length; at += HASH_STEP) {
      const step = chunk.subarray(at, at + HASH_STEP);
      hash.add(step);
      await onDisk(writeAll(handle, step));
    }
    size += chunk.length;
  }
  await onDisk(handle.datasync());
  return { cid: hash.cid(), size };
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten;
}

async function* readVerified(path: string, cid: string): AsyncGenerator<Uint8Array, void> {
  const handle = await onDisk(open(path, 'r'));
  try {
    const hash = await blobHash();
    let held: Uint8Array | undefined;
    for (let bytes = await readSome(handle); bytes.length > 0; bytes = await readSome(handle)) {
      hash.add(bytes);
      if (held) yield held;
      held = bytes;
    }
    if (hash.cid() !== cid) {
      throw new StorageError(
        'corrupt',
        `${path} is damaged; putting its content again mends it, deleting it forgets it`,
      );
    }
    if (held) yield held;
  } finally {
    await handle.close();
  }
}

async function readSome(handle: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await onDisk(handle.read(Buffer.allocUnsafe(HASH_STEP), 0, HASH_STEP));
  return buffer.subarray(0, bytesRead);
}

async function sync(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  await handle.sync().finally(() => handle.close());
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fault = FULL.has(code ?? '') ? 'full' : 'unavailable';
    throw new StorageError(fault, `the blobs cannot be read or written: ${message}`, { cause: error });
  }
}
