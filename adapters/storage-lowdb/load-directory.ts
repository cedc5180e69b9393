import { dirname } from 'node:path';
import { StorageError } from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import type { Disk } from './disk.ts';
import type { Files } from './files.ts';
import type { LowdbOptions } from './index.ts';
import { fill, type Sink } from './transfer.ts';

/** An adapter that can be filled. */
export interface LoadTarget extends Sink {
  readonly commits: number;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Where an import writes until it is whole. While it is there, the store beside it is not opened. */
export function draftOf(dir: string): string {
  return `${dir}.import`;
}

/**
 * Fills a directory beside the store's own, and gives it that name when everything in it is durable. The rest of an
 * earlier attempt is thrown away. Meanwhile the store is locked: nobody starts on it or imports into it.
 */
export async function loadDirectory(
  { dir, disk }: Files,
  options: LowdbOptions,
  rows: AsyncIterable<DumpRow>,
  make: (options: LowdbOptions) => LoadTarget,
): Promise<void> {
  const present = make(options);
  await present.open();
  const draft = draftOf(dir);
  try {
    if (present.commits > 0) {
      throw new StorageError(
        'conflict',
        `${dir} holds a store already; an import goes into an empty one: move that one away first`,
      );
    }
    await disk.removeDirectory(draft);
    await fillDraft(disk, make({ ...options, dir: draft }), draft, rows);
  } finally {
    await present.close();
  }
  await disk.removeDirectory(dir);
  await disk.rename(draft, dir);
  await disk.syncDirectory(dirname(dir));
}

async function fillDraft(disk: Disk, target: LoadTarget, draft: string, rows: AsyncIterable<DumpRow>): Promise<void> {
  await target.open();
  try {
    await fill(target, rows);
  } catch (error) {
    await target.close().catch(() => {});
    await disk.removeDirectory(draft);
    throw error;
  }
  await target.close();
}
