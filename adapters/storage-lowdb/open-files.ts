import { StorageError } from '../../core/storage/adapter.ts';
import type { Disk, OpenFile } from './disk.ts';

interface Kept {
  readonly file: Promise<OpenFile>;
  reading: number;
  /** Nobody reads it from now on; it is closed after the last read. */
  isLeft: boolean;
}

/**
 * Files that were read last stay open: a page of old records takes a block out of each of many files, and to open and close one costs
 * more than to read the block.
 */
export class OpenFiles {
  readonly #disk: Disk;
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #isClosed = false;

  constructor(disk: Disk, most: number) {
    this.#disk = disk;
    this.#most = most;
  }

  async read(path: string, length: number, position: number): Promise<Buffer> {
    if (this.#isClosed) throw new StorageError('closed', 'the store is closed');
    const kept = this.#use(path);
    kept.reading++;
    try {
      return await (await kept.file).read(length, position);
    } finally {
      kept.reading--;
      if (kept.isLeft) await closeUnread(kept);
    }
  }

  /** Of a file that is about to be removed, or to become another one. */
  async leave(path: string): Promise<void> {
    const kept = this.#kept.get(path);
    if (!kept) return;
    this.#kept.delete(path);
    kept.isLeft = true;
    await closeUnread(kept);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const path of [...this.#kept.keys()]) await this.leave(path);
  }

  #use(path: string): Kept {
    const known = this.#kept.get(path);
    this.#kept.delete(path);
    const kept = known ?? { file: this.#disk.open(path, 'r'), reading: 0, isLeft: false };
    this.#kept.set(path, kept);
    // One that cannot be opened now may be opened later.
    if (!known) kept.file.catch(() => this.#kept.get(path) === kept && this.#kept.delete(path));
    if (this.#kept.size > this.#most) void this.leave(this.#kept.keys().next().value!);
    return kept;
  }
}

/** A file that was only read loses nothing when it cannot be closed. */
async function closeUnread({ file, reading }: Kept): Promise<void> {
  if (reading > 0) return;
  await file.then((open) => open.close()).catch(() => {});
}
