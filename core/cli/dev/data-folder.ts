import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_NETWORK } from '../../contracts/settings.ts';
import { createFile } from '../../platform/new-file.ts';
import { UsageError } from '../command.ts';
import { claimFolder } from './folder-claim.ts';

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
