import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder } from './folder-claim.ts';
import { UsageError } from './options.ts';

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
