import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../cli/command.ts';
import { isRunning, type ProcessMark, parseProcessMark, thisProcess } from '../process-mark.ts';

const TRIES = 3;

/** Writes into the folder whose it is; gives the function that gives it back. A dead process loses its claim. */
export function claimFolder(folder: string): () => void {
  const path = join(folder, 'mesh.lock');
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      writeFileSync(path, JSON.stringify(thisProcess()), { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new UsageError(`--data ${folder} cannot be written to (${code}).`);
    }
    const owner = ownerOf(path);
    if (owner && isRunning(owner)) {
      throw new UsageError(
        `A mesh is running in ${folder}: process ${owner.pid}. Stop it first, or choose another --data folder.`,
      );
    }
    rmSync(path, { force: true });
  }
  throw new UsageError(`Several meshes are starting in ${folder}. Choose another --data folder.`);
}

function ownerOf(path: string): ProcessMark | undefined {
  try {
    return parseProcessMark(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
