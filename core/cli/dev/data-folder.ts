import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_NETWORK } from '../../contracts/settings.ts';
import { createFile } from '../../platform/new-file.ts';
import { isRunning, isUnwritten, parseProcessId, processIdText, thisProcess } from '../../platform/process-id.ts';
import { UsageError } from '../command.ts';

const TRIES = 3;

export interface DataFolder {
  readonly path: string;
  release(): void;
}

/** The folder of this run, for this process alone. A temporary one is removed at the end, however the process ends. */
export async function openDataFolder(given: string | undefined): Promise<DataFolder> {
  if (given === undefined) {
    const path = await mkdtemp(join(tmpdir(), 'agent-mesh-'));
    return untilExit(path, () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  }
  await mkdir(given, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--data ${given} cannot be used as a folder (${error.code}).`);
  });
  return untilExit(given, claimFolder(given));
}

/** `network.id` of the mesh in a folder: remembered there. Folders from before it was remembered are of the mesh `local`. */
export function networkNameIn(folder: string): string {
  const file = join(folder, 'network-id');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const name = existsSync(join(folder, 'ledger')) ? 'local' : DEFAULT_NETWORK;
  createFile(file, `${name}\n`);
  return name;
}

function untilExit(path: string, release: () => void): DataFolder {
  process.once('exit', release);
  return {
    path,
    release() {
      process.off('exit', release);
      release();
    },
  };
}

/** Writes into the folder whose it is; gives the function that gives it back. A dead process loses its claim. */
function claimFolder(folder: string): () => void {
  const path = join(folder, 'mesh.lock');
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      createFile(path, processIdText(thisProcess()));
      return () => rmSync(path, { force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new UsageError(`--data ${folder} cannot be written to (${code}).`);
    }
    const text = textOf(path);
    const owner = parseProcessId(text);
    if (!owner && !isUnwritten(text)) {
      throw new UsageError(
        `${path}, which names the mesh that runs in ${folder}, is damaged. Stop that mesh; if there is none, remove the file.`,
      );
    }
    if (owner && isRunning(owner)) {
      throw new UsageError(
        `A mesh is running in ${folder}: process ${owner.pid}. Stop it first, or choose another --data folder.`,
      );
    }
    rmSync(path, { force: true });
  }
  throw new UsageError(`Several meshes are starting in ${folder}. Choose another --data folder.`);
}

/** Empty when the mesh that was there has just stopped. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
