import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './new-folder.ts';

/**
 * Makes a file that only its owner can read, whole and on the medium when this returns: a process killed on the way
 * leaves no half of it under this name. Throws `EEXIST` when there is one, also when two processes make it at once.
 */
export function createFile(path: string, content: Uint8Array | string): void {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  try {
    try {
      writeSync(file, typeof content === 'string' ? Buffer.from(content) : content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}
