import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  isOfThisBoot,
  isOfThisSpace,
  isRunning,
  isUnwritten,
  type ProcessId,
  parseProcessId,
  processIdText,
  thisProcess,
} from '../../core/platform/process-id.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import { canListen, isListening, listenAt, stopListening } from './lock-socket.ts';

/** The content of a lock file. */
interface Holder extends ProcessId {
  /** The file beside it at which its process listens. */
  readonly socket?: string;
}

/** Locks held by this process, which no file can tell apart. */
const held = new Set<string>();
const TRIES = 10;
const SOCKET = /^lock\.[0-9a-f]{12}\.tmp$/;

/**
 * Takes the lock of a store and gives the function that gives it back. The lock of a dead process is taken over.
 * Rejects with `locked`, naming the process, when a living one has it.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  const name = resolve(path);
  if (held.has(name)) throw locked(path, process.pid);
  held.add(name);
  const own = randomBytes(6).toString('hex');
  const draft = `${path}.${process.pid}.${own}.tmp`;
  const socket = `lock.${own}.tmp`;
  const place = join(dirname(path), socket);
  const server = await listenAt(place);
  try {
    const mark: Holder = { ...thisProcess(), ...(server && { socket }) };
    // On the medium before it has its name: so a lock that cannot be read was damaged later.
    await writeFile(draft, processIdText(mark), { flag: 'wx', mode: 0o600, flush: true });
    await takeFile(path, draft, socket);
  } catch (error) {
    if (server) await stopListening(server, place);
    held.delete(name);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return async () => {
    await rm(path, { force: true });
    if (server) await stopListening(server, place);
    held.delete(name);
  };
}

/** A hard link appears whole or not at all, and never over another file. */
async function takeFile(path: string, draft: string, own: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const holder: Holder | undefined = parseProcessId(text);
    const place = holder && socketOf(path, holder);
    if (holder && (await isHolding(holder, place))) throw locked(path, holder.pid, isOfThisSpace(holder));
    if (!holder && !isUnwritten(text) && (await mayBeHeld(path, own))) throw unreadable(path);
    await putAside(path, `${draft}.stale.tmp`, text);
    if (place) await rm(place, { force: true });
  }
  throw new StorageError('locked', `${path} keeps changing hands: several processes are starting on one store`);
}

/** Whether the process is alive; one that cannot be seen from here, in another container, is asked. */
async function isHolding(holder: Holder, place: string | undefined): Promise<boolean> {
  if (!isOfThisSpace(holder)) return isOfThisBoot(holder) && place !== undefined && (await isListening(place));
  // This process holds no lock on this store: a lock with its pid was left by a predecessor.
  return holder.pid !== process.pid && isRunning(holder);
}

/**
 * Whether another process may have a store with an unreadable lock: it listens beside it, where the folder takes
 * sockets.
 */
async function mayBeHeld(path: string, own: string): Promise<boolean> {
  const folder = dirname(path);
  if (!canListen(join(folder, 'lock.000000000000.tmp'))) return true;
  const sockets = (await readdir(folder)).filter((name) => SOCKET.test(name) && name !== own);
  const listening = await Promise.all(sockets.map((name) => isListening(join(folder, name))));
  return listening.includes(true);
}

function socketOf(path: string, { socket }: Holder): string | undefined {
  return SOCKET.test(String(socket)) ? join(dirname(path), String(socket)) : undefined;
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

function locked(path: string, pid: number, isHere = true): StorageError {
  return new StorageError(
    'locked',
    isHere
      ? `process ${pid} uses this store; stop it first, or remove ${path} if it is no mesh process, or if this folder is a copy`
      : `a process in another container, where it is ${pid}, uses this store; stop it first`,
  );
}

function unreadable(path: string): StorageError {
  return new StorageError(
    'locked',
    `${path}, which names the process that uses this store, is damaged, and one may be using it: stop it; if there is none, remove ${path}`,
  );
}
