import { dirname } from 'node:path';
import { StorageError } from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import type { Files } from './files.ts';
import type { LowdbOptions } from './index.ts';
import { fill, type Sink } from './transfer.ts';

/** An adapter that can be filled. */
export interface LoadTarget extends Sink {
  readonly commits: number;
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Fills a directory beside the store's own, and gives it that name when everything in it is durable. What an earlier
 * attempt left there is thrown away.
 */
export async function loadDirectory(
  { dir, disk }: Files,
  options: LowdbOptions,
  rows: AsyncIterable<DumpRow>,
  make: (options: LowdbOptions) => LoadTarget,
): Promise<void> {
  await refuseUsed(dir, make(options));
  const draft = `${dir}.import`;
  await disk.removeDirectory(draft);
  const target = make({ ...options, dir: draft });
  await target.open();
  try {
    await fill(target, rows);
  } catch (error) {
    await target.close().catch(() => {});
    await disk.removeDirectory(draft);
    throw error;
  }
  await target.close();
  await disk.removeDirectory(dir);
  await disk.rename(draft, dir);
  await disk.syncDirectory(dirname(dir));
}

/** Opening also finds out whether another process is there. */
async function refuseUsed(dir: string, present: LoadTarget): Promise<void> {
  await present.open();
  const { commits } = present;
  await present.close();
  if (commits === 0) return;
  throw new StorageError('conflict', `${dir} holds a store already; an import goes into an empty one`);
}
