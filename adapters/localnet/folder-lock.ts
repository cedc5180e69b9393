import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { createFile } from '../../core/platform/new-file.ts';
import {
  isRunning,
  isUnwritten,
  type ProcessId,
  parseProcessId,
  processIdText,
  thisProcess,
} from '../../core/platform/process-id.ts';

/** Locks held by this process, which no file can tell apart. */
const held = new Set<string>();

/** Keeps a second process away from a data folder. The lock of a process that was killed is taken over. */
export function lockFolder(folder: string): () => void {
  const path = resolve(folder, 'lock');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      createFile(path, processIdText(thisProcess()));
      held.add(path);
      return () => {
        held.delete(path);
        rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const text = readFileSync(path, 'utf8');
      const owner = parseProcessId(text);
      if (!owner && !isUnwritten(text)) throw unreadable(path);
      if (held.has(path) || (owner && owner.pid !== process.pid && isRunning(owner))) throw inUse(folder, owner);
      rmSync(path, { force: true });
    }
  }
  throw inUse(folder, undefined);
}

function inUse(folder: string, owner: ProcessId | undefined): Error {
  const who = owner ? `process ${owner.pid}` : 'another process';
  return new Error(`The localnet folder ${folder} is in use by ${who}; stop it or choose another folder.`);
}

function unreadable(path: string): Error {
  return new Error(
    `${path}, which names the process that uses this localnet folder, is damaged: stop that process; if there is none, remove the file.`,
  );
}
