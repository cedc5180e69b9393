import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './options.ts';

export interface DataFolder {
  readonly path: string;
  release(): Promise<void>;
}

/** The folder of this run, for this process alone. A temporary one is removed at the end. */
export async function openDataFolder(given: string | undefined): Promise<DataFolder> {
  if (given === undefined) {
    const path = await mkdtemp(join(tmpdir(), 'agent-mesh-'));
    return { path, release: () => rm(path, { recursive: true, force: true }) };
  }
  await mkdir(given, { recursive: true, mode: 0o700 });
  const lock = join(given, 'mesh.pid');
  claim(lock, given);
  return { path: given, release: async () => rmSync(lock, { force: true }) };
}

/** Writes our pid into the lock, taking over one whose process is gone. */
function claim(lock: string, folder: string): void {
  const owner = readOwner(lock);
  if (owner !== undefined && isAlive(owner)) {
    throw new UsageError(
      `A mesh is running in ${folder} (process ${owner}). Stop it first, or choose another --data folder.`,
    );
  }
  if (owner !== undefined) rmSync(lock, { force: true });
  let file: number;
  try {
    file = openSync(lock, 'wx', 0o600);
  } catch {
    throw new UsageError(`Another mesh is just starting in ${folder}. Choose another --data folder.`);
  }
  writeSync(file, String(process.pid));
  closeSync(file);
}

function readOwner(lock: string): number | undefined {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : 0;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
