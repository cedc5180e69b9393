import type { Clock } from '../../core/platform/clock.ts';
import {
  type CommitBatch,
  type CommitResult,
  type DocumentRef,
  type IndexedRow,
  type LogRow,
  type PageQuery,
  type RangeQuery,
  type Row,
  type StorageAdapter,
  StorageError,
} from '../../core/storage/adapter.ts';
import { checkPage, Rows } from '../../core/storage/rows.ts';
import { Staging } from '../../core/storage/staging.ts';
import { Wakeups } from '../../core/storage/wakeups.ts';

/** A store that is gone with its process: for tests and simulations, which may keep its `rows` over restarts. */
export function memoryStorage({ clock, rows = new Rows(() => clock.now()) }: MemoryOptions): StorageAdapter {
  return new MemoryStorage(rows);
}

export interface MemoryOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** The rows that hold everything, to look at or to open again. */
  readonly rows?: Rows;
}

class MemoryStorage implements StorageAdapter {
  readonly guarantees = {
    name: 'memory',
    durability: 'none',
    processes: 'one',
    warnings: ['everything is lost when the process ends'],
  } as const;
  readonly #rows: Rows;
  readonly #wakeups = new Wakeups();
  #closed = false;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  async open(): Promise<void> {}

  async read(refs: readonly DocumentRef[]): Promise<(Row | undefined)[]> {
    return refs.map((ref) => this.#live.document(ref));
  }

  async range(query: RangeQuery): Promise<IndexedRow[]> {
    return this.#live.range(query);
  }

  async rank(collection: string, index: string, key: string, id: string): Promise<number | undefined> {
    return this.#live.rank(collection, index, key, id);
  }

  async count(collection: string, index?: string): Promise<number> {
    return this.#live.count(collection, index);
  }

  async page(query: PageQuery): Promise<LogRow[]> {
    checkPage(query.limit);
    const log = this.#live.logs.get(query.log);
    return log?.select(query).map((id) => ({ id, value: log.hot(id)!.value })) ?? [];
  }

  async counters(names: readonly string[]): Promise<bigint[]> {
    return names.map((name) => this.#live.totals.get(name) ?? 0n);
  }

  async commit(batch: CommitBatch): Promise<CommitResult> {
    const rows = this.#live;
    const staging = new Staging(rows);
    const { result, changes } = staging.stage(batch);
    for (const change of changes) rows.apply(change);
    rows.commits = staging.commits;
    for (const change of changes) if (change[0] === 'append') this.#wakeups.wake(change[1]);
    return result;
  }

  async changed(log: string, after: number, signal: AbortSignal): Promise<void> {
    if (this.#live.logs.get(log)?.holdsAbove(after)) return;
    await this.#wakeups.wait(log, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeups.close();
  }

  get #live(): Rows {
    if (this.#closed) throw new StorageError('closed', 'the store is closed');
    return this.#rows;
  }
}
