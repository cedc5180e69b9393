import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../platform/new-file.ts';

/** One file of a backup. */
export interface FileEntry {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Where a restore prepares what it puts in place; a node does not start beside it. */
export const UNFINISHED = '.restoring';
/** The files from before a restore, with a moment behind the name. */
export const BEFORE = '.before-restore-';

/** Files that a restore left in a data folder: no part of the node. */
export function isLeftover(path: string): boolean {
  return path.startsWith(UNFINISHED) || path.startsWith(BEFORE);
}

/** Whether a file belongs to a running process. */
export function isPassing(path: string): boolean {
  return /(^|\/)lock$|\.tmp$/.test(path);
}

/** The paths of all files below a folder, sorted. Throws at what is neither file nor folder. */
export async function filesOf(folder: string, skip: (path: string) => boolean = () => false): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    if (skip(path) || entry.isDirectory()) continue;
    if (!entry.isFile()) throw new Error(`${join(folder, path)} is neither a file nor a folder and cannot be copied`);
    found.push(path);
  }
  return found.sort();
}

/** Makes the names of everything below a folder durable. */
export async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name));
  }
  syncFolder(folder);
}

/** Copies a file, for its owner only and on the medium when this resolves, and says what arrived there. */
export async function copy(from: string, to: string): Promise<Omit<FileEntry, 'path'>> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to, constants.COPYFILE_EXCL);
  await chmod(to, 0o600);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return digest(to);
}

export async function digest(path: string): Promise<Omit<FileEntry, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(path), async (chunks) => {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      hash.update(chunk);
    }
  });
  return { bytes, sha256: hash.digest('hex') };
}
