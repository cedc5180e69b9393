import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../platform/new-file.ts';
import { isRunning, isUnwritten, parseProcessId, processIdText, thisProcess } from '../../platform/process-id.ts';
import { UsageError } from '../command.ts';

const TRIES = 3;

/** Writes into the folder whose it is; gives the function that gives it back. A dead process loses its claim. */
export function claimFolder(folder: string): () => void {
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
