import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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

/**
 * Makes a folder for its owner only, with those above it that are missing. Each new one is on the medium under its
 * name when this returns: otherwise a power failure could take the folder with all that is kept in it.
 */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let folder = dirname(resolve(path)); folder.length >= top.length; folder = dirname(folder)) {
    syncFolder(folder);
    if (folder === dirname(folder)) return;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
