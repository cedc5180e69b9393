import { read } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { makeFolder } from '../../core/platform/new-file.ts';

/**
 * All that the store asks of a file system. Bytes are durable once `datasync` has resolved; a name that was made,
 * renamed or removed is durable once its directory was synced.
 */
export interface Disk {
  /** With those above it that are missing; their names are durable when it resolves. */
  makeDirectory(path: string): Promise<void>;
  list(directory: string): Promise<string[]>;
  syncDirectory(path: string): Promise<void>;
  /** With all that is in it; of one that is not there, too. */
  removeDirectory(path: string): Promise<void>;
  /** `w` makes the file, or empties it. */
  open(path: string, mode: 'r' | 'r+' | 'w'): Promise<OpenFile>;
  /** Bytes of a file; undefined when there is none. */
  size(path: string): Promise<number | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Of a file that is not there, too. */
  remove(path: string): Promise<void>;
}

export interface OpenFile {
  /** Fewer bytes come back when the file is shorter. `into` is memory that may be used for them; nobody needs what is in it. */
  read(length: number, position: number, into?: Buffer): Promise<Buffer>;
  /** Writes all of it, or rejects. */
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** The disk of this machine. Files are for their owner only. */
export const localDisk: Disk = {
  async makeDirectory(path) {
    makeFolder(path);
  },
  list: (directory) => readdir(directory),
  async syncDirectory(path) {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  removeDirectory: (path) => rm(path, { recursive: true, force: true }),
  async open(path, mode) {
    const handle = await open(path, mode, 0o600);
    const reads = new PendingReads(handle.fd);
    return {
      async read(length, position, into) {
        const bytes = into && into.length >= length ? into : Buffer.allocUnsafe(length);
        let done = 0;
        while (done < length) {
          const count = await reads.read(bytes, done, length - done, position + done);
          if (count === 0) break;
          done += count;
        }
        return bytes.subarray(0, done);
      },
      async write(bytes, position) {
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
          done += bytesWritten;
        }
      },
      truncate: (length) => handle.truncate(length),
      datasync: () => handle.datasync(),
      size: async () => (await handle.stat()).size,
      async close() {
        await reads.over();
        await handle.close();
      },
    };
  },
  size: (path) =>
    stat(path).then(
      ({ size }) => size,
      (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)),
    ),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true }),
};

/**
 * Reads of one file, by callbacks: those of a FileHandle take half as much again. Once the file is closed its number may be another file's,
 * so none begins after that, and it is closed under none.
 */
class PendingReads {
  readonly #fd: number;
  #count = 0;
  #isOver = false;
  #ended: (() => void) | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  read(into: Buffer, at: number, length: number, position: number): Promise<number> {
    if (this.#isOver) return Promise.reject(new Error('the file is closed'));
    this.#count++;
    return new Promise((resolve, reject) => {
      read(this.#fd, into, at, length, position, (error, count) => {
        if (--this.#count === 0) this.#ended?.();
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  /** Lets none begin any more, and resolves when none is under way. */
  async over(): Promise<void> {
    this.#isOver = true;
    if (this.#count > 0)
      await new Promise<void>((resolve) => {
        this.#ended = resolve;
      });
  }
}
