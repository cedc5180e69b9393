import { type StorageAdapter, StorageError } from './adapter.ts';
import type { AppendLog } from './declarations.ts';
import { logName } from './locate.ts';
import { type Logged, logPage } from './pages.ts';

const PAGE = 200;

export async function* tail<T>(
  adapter: StorageAdapter,
  space: string,
  log: AppendLog<T>,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Logged<T>, void> {
  let last = after;
  try {
    while (!signal.aborted) {
      const rows = await logPage(adapter, space, log, { after: last, limit: PAGE });
      for (const row of rows) {
        if (signal.aborted) return;
        last = row.id;
        yield row;
      }
      if (rows.length === 0) await adapter.changed(logName(space, log), last, signal);
    }
  } catch (error) {
    if (!(error instanceof StorageError && error.fault === 'closed')) throw error;
  }
}
