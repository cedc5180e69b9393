import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { MeshError } from '../../core/plugin.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Where a path through an open folder stays in this folder, whatever its name leads to meanwhile. */
const OPEN_FILES = '/proc/self/fd';
const hasOpenFiles = existsSync(OPEN_FILES);

/** Levels of folders within a skill. */
const MOST_LEVELS = 64;

export interface FileRead {
  readonly bytes: Buffer;
  /** Another one after each change. */
  readonly mark: string;
  readonly changed: Date;
}

/**
 * An open folder, whose inner names are reached through it. No symbolic link is followed, and where the system lets an open
 * folder be named (Linux), a folder that is replaced by a link while it is written leads nowhere else.
 */
export class Folder {
  readonly #handle: FileHandle;
  readonly #path: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** The folder at a path, of which only the last name must be no link; undefined when there is nothing. */
  static async at(path: string, shown = path): Promise<Folder | undefined> {
    try {
      return new Folder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw ['ENOTDIR', 'ELOOP'].includes(codeOf(error)) ? noFolder(shown) : error;
    }
  }

  inner(name: string): Promise<Folder | undefined> {
    return Folder.at(this.#at(name), name);
  }

  /** The inner folder, made when there is none. */
  async made(name: string): Promise<{ readonly folder: Folder; readonly isNew: boolean }> {
    let isNew = true;
    await mkdir(this.#at(name), { mode: 0o755 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
      isNew = false;
    });
    const folder = await this.inner(name);
    if (!folder) throw new MeshError('conflict', `The folder ${name} was removed meanwhile; try again.`);
    if (isNew) await this.#handle.sync();
    return { folder, isNew };
  }

  names(): Promise<string[]> {
    return readdir(this.#own);
  }

  /** The names of folders, and of links, which may lead to one. */
  async folders(): Promise<string[]> {
    const entries = await readdir(this.#own, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
  }

  /** A file that is a plain one; undefined when there is none. */
  async read(name: string, most: number): Promise<FileRead | undefined> {
    let file: FileHandle;
    try {
      // A pipe would keep its reader waiting.
      file = await open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw codeOf(error) === 'ELOOP' ? noFile(name) : error;
    }
    try {
      const found = await file.stat({ bigint: true });
      if (!found.isFile()) throw noFile(name);
      const { dev, ino, size, ctimeNs, mtime } = found;
      const buffer = Buffer.alloc(Math.min(Number(size), most) + 1);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      if (bytesRead > most) throw new MeshError('payload_too_large', `${name} has more than ${most} bytes.`);
      return { bytes: buffer.subarray(0, bytesRead), mark: [dev, ino, size, ctimeNs].join(), changed: mtime };
    } finally {
      await file.close();
    }
  }

  /** Puts a file in the place of the one with this name, whole or not at all; it is on the disk when this resolves. */
  async replace(name: string, bytes: Uint8Array): Promise<void> {
    await this.#requirePlain(name);
    const draft = `.${name}.${randomUUID()}`;
    const file = await open(this.#at(draft), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
    try {
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(this.#at(draft), this.#at(name));
    } catch (error) {
      await unlink(this.#at(draft)).catch(() => {});
      throw error;
    }
    await this.#handle.sync();
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(this.#at(from), this.#at(to));
    await this.#handle.sync();
  }

  /** Deletes an inner folder with all in it; a link is deleted, and not what it leads to. */
  async clear(name: string, level = 0): Promise<void> {
    if (level > MOST_LEVELS) throw new MeshError('conflict', `The folder ${name} has more than ${MOST_LEVELS} levels.`);
    const folder = await this.inner(name);
    if (!folder) return;
    try {
      for (const entry of await readdir(folder.#own, { withFileTypes: true })) {
        if (entry.isDirectory()) await folder.clear(entry.name, level + 1);
        else await folder.unlink(entry.name);
      }
    } finally {
      await folder.close();
    }
    await rmdir(this.#at(name));
  }

  async unlink(name: string): Promise<void> {
    await unlink(this.#at(name));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #requirePlain(name: string): Promise<void> {
    const found = await lstat(this.#at(name)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    if (found && !found.isFile()) throw noFile(name);
  }

  get #own(): string {
    return hasOpenFiles ? `${OPEN_FILES}/${this.#handle.fd}` : this.#path;
  }

  #at(name: string): string {
    return join(this.#own, name);
  }
}

function noFolder(name: string): MeshError {
  return new MeshError('conflict', `${name} is a symbolic link or no folder: remove it by hand.`);
}

function noFile(name: string): MeshError {
  return new MeshError('conflict', `${name} is a symbolic link or no plain file: remove it by hand.`);
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}
