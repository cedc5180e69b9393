import { StorageError } from '../../core/storage/adapter.ts';
import { type DumpRow, sortedEntries } from '../../core/storage/dump.ts';
import { compareText } from '../../core/storage/ordered-entries.ts';
import type { LogTail } from './log-tail.ts';
import type { State } from './state.ts';
import type { StoreChange } from './tables.ts';

const PAGE = 500;

/** Everything a state holds. It must not change meanwhile. */
export async function* dumpState(state: State): AsyncGenerator<DumpRow> {
  const { tables, cache } = state;
  await cache.run(() => tables.expire());
  const { commits, floor } = tables;
  const check = () => {
    if (tables.commits !== commits)
      throw new StorageError('conflict', 'the store was written to while it was exported');
  };
  yield ['store', { commits, floor }];
  for (const collection of tables.collections().sort(compareText)) {
    for (let after: string | undefined; ; ) {
      const step = await cache.run(() => tables.step(collection, after));
      check();
      for (const { id, document } of step) {
        const { version, value, entries, expires } = document;
        const until = expires === Number.POSITIVE_INFINITY ? null : expires;
        yield ['document', collection, id, version, value, sortedEntries(entries), until];
      }
      if (step.length === 0) break;
      after = step.at(-1)!.id;
    }
  }
  for (const name of [...tables.logs.keys()].sort(compareText)) {
    const log = tables.logs.get(name)!;
    yield ['log', name, { next: log.next, trimmed: log.trimmed }];
    for await (const row of recordsOf(state, name, log)) yield row;
    check();
  }
  for (const name of [...tables.totals.keys()].sort(compareText)) {
    yield ['total', name, tables.totals.get(name)!.toString()];
  }
}

async function* recordsOf(state: State, name: string, log: LogTail): AsyncGenerator<DumpRow> {
  for (let after = 0; ; ) {
    const ids = log.select({ after, limit: PAGE });
    if (ids.length === 0) return;
    const cold = await state.segmentsOf(name).reader.read(ids.filter((id) => !log.record(id)));
    for (const id of ids) {
      const { value, postings } = log.record(id) ?? cold.get(id)!;
      yield ['record', name, id, value, [...new Set(postings)]];
    }
    after = ids.at(-1)!;
  }
}

/** Where rows of a dump go: an open store that holds nothing. */
export interface Sink {
  put(changes: readonly StoreChange[]): Promise<void>;
  /** Moves everything into layers and segments. */
  finish(commits: number, floor: number): Promise<void>;
}

const BATCH_BYTES = 1024 * 1024;

export async function fill(sink: Sink, rows: AsyncIterable<DumpRow>): Promise<void> {
  let store = { commits: 0, floor: 0 };
  let log: { name: string; next: number } | undefined;
  let changes: StoreChange[] = [];
  let bytes = 0;
  for await (const row of rows) {
    // Behind its records, a log is told which id comes next.
    if (log && row[0] !== 'record') {
      changes.push(['skip', log.name, log.next]);
      log = undefined;
    }
    if (row[0] === 'store') store = row[1];
    else if (row[0] === 'log') log = { name: row[1], next: row[2].next };
    changes.push(...changesOf(row));
    bytes += row[0] === 'document' || row[0] === 'record' ? String(row[3]).length + row[1].length + 200 : 100;
    if (row[0] === 'document') bytes += row[4].length;
    if (bytes < BATCH_BYTES) continue;
    await sink.put(changes);
    changes = [];
    bytes = 0;
  }
  if (log) changes.push(['skip', log.name, log.next]);
  if (changes.length > 0) await sink.put(changes);
  await sink.finish(store.commits, store.floor);
}

function changesOf(row: DumpRow): StoreChange[] {
  switch (row[0]) {
    case 'store':
      return [];
    case 'document':
      return [['put', row[1], row[2], row[3], row[4], row[5], row[6]]];
    case 'log': {
      const [, name, { trimmed }] = row;
      return [
        ['skip', name, trimmed + 1],
        ['trim', name, trimmed],
      ];
    }
    case 'record':
      return [
        ['skip', row[1], row[2]],
        ['append', row[1], row[2], row[3], row[4]],
      ];
    case 'total':
      return [['total', row[1], row[2]]];
    default:
      throw new StorageError('corrupt', `no store holds ${JSON.stringify((row as readonly unknown[])[0])}`);
  }
}
