import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isRunning, parseProcessMark, thisProcess } from '../../core/process-mark.ts';
import { StorageError } from '../../core/storage/adapter.ts';

/** Locks held by this process, which no file can tell apart. */
const held = new Set<string>();
const TRIES = 10;

/**
 * Takes the lock of a store and gives the function that gives it back. The lock of a dead process is taken over.
 * Rejects with `locked`, naming the process, when a living one has it.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  const name = resolve(path);
  if (held.has(name)) throw locked(path, process.pid);
  held.add(name);
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(draft, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
    await takeFile(path, draft);
  } catch (error) {
    held.delete(name);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return async () => {
    await rm(path, { force: true });
    held.delete(name);
  };
}

/** A hard link appears whole or not at all, and never over another file. */
async function takeFile(path: string, draft: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const holder = parseProcessMark(text);
    // This process holds no lock on this store: a lock with its pid was left by a predecessor.
    if (holder && holder.pid !== process.pid && isRunning(holder)) throw locked(path, holder.pid);
    await putAside(path, `${draft}.stale.tmp`, text);
  }
  throw new StorageError('locked', `${path} keeps changing hands: several processes are starting on one store`);
}

/** Between reading and renaming, another process may have taken the lock over: then it gets it back. */
async function putAside(path: string, aside: string, stale: string): Promise<void> {
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => {});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function locked(path: string, pid: number): StorageError {
  return new StorageError(
    'locked',
    `process ${pid} uses this store; stop it first, or remove ${path} if it is no mesh process`,
  );
}
