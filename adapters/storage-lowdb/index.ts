import { Low } from 'lowdb';
import type { Clock } from '../../core/platform/clock.ts';
import { describeProblem, messageOf, remedyOf } from '../../core/platform/problem.ts';
import {
  type CommitBatch,
  type CommitResult,
  type IndexedRow,
  type LogRow,
  type PageQuery,
  type RangeQuery,
  type ReadRef,
  type Row,
  type StorageAdapter,
  StorageError,
} from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { checkPage } from '../../core/storage/rows.ts';
import type { Staged } from '../../core/storage/staging.ts';
import { Wakeups } from '../../core/storage/wakeups.ts';
import { Checkpoints } from './checkpoints.ts';
import { fitting, rowOf, stage, type Waiting } from './commits.ts';
import { type Disk, localDisk } from './disk.ts';
import { examine } from './examine.ts';
import { Files } from './files.ts';
import { Journal } from './journal.ts';
import { draftOf, type LoadTarget, loadDirectory } from './load-directory.ts';
import { takeLock } from './lock.ts';
import { State } from './state.ts';
import type { StoreChange, Tables } from './tables.ts';
import { dumpState } from './transfer.ts';

export interface LowdbOptions {
  /** The store's own directory; made when it is missing. */
  readonly dir: string;
  readonly clock: Pick<Clock, 'now'>;
  /** A checkpoint begins when the journal is larger than this; 8 MiB when absent. */
  readonly checkpointBytes?: number;
  /** Records in a full segment file; 50 000 when absent. */
  readonly segmentRecords?: number;
  /** Records of each log that stay in memory; 5 000 when absent. */
  readonly hotRecords?: number;
  /** Memory for blocks of layers that were read last; 16 MiB when absent. */
  readonly cacheBytes?: number;
  /** Memory for old records that were read last, at two bytes a character; 16 MiB when absent. */
  readonly recordBytes?: number;
  /** Where the files are; this machine's disk when absent. */
  readonly disk?: Disk;
}

/**
 * A store in one directory, used by one process. lowdb holds the data, the newest of it in memory; our journal writes
 * it. Acknowledged means on the disk: commits that wait together share one fdatasync.
 */
export function lowdbStorage(options: LowdbOptions): StorageAdapter {
  return new LowdbStorage(options, 'use');
}

class LowdbStorage implements StorageAdapter, LoadTarget {
  readonly guarantees = { name: 'lowdb', durability: 'strict', processes: 'one', warnings: [] } as const;
  readonly #options: LowdbOptions;
  readonly #purpose: 'use' | 'import';
  readonly #files: Files;
  readonly #journal: Journal;
  readonly #low: Low<State>;
  readonly #wakeups = new Wakeups();
  readonly #checkpoints: Checkpoints;
  #unlock: (() => Promise<void>) | undefined;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #closed = true;

  constructor(options: LowdbOptions, purpose: 'use' | 'import') {
    const { dir, clock, checkpointBytes, segmentRecords, hotRecords, cacheBytes, recordBytes, disk } = options;
    this.#options = options;
    this.#purpose = purpose;
    const sizes = { segmentRecords, cacheBytes, recordBytes };
    const empty = () => new State(this.#files, () => clock.now(), sizes);
    this.#files = new Files(dir, disk ?? localDisk);
    this.#journal = new Journal(this.#files, empty);
    this.#low = new Low(this.#journal, empty());
    this.#checkpoints = new Checkpoints({
      files: this.#files,
      journal: this.#journal,
      bytes: checkpointBytes ?? 8 * 1024 * 1024,
      hotRecords: hotRecords ?? 5_000,
    });
  }

  async open(): Promise<void> {
    this.#unlock = await this.#files
      .create()
      .then(() => takeLock(this.#files.lock()))
      .catch(asStorageError);
    try {
      if (this.#purpose === 'use') await this.#refuseUnfinished();
      await this.#low.read();
      // Items that expired while no process was here go before anybody waits for it.
      const { cache, tables } = this.#low.data;
      await cache.run(() => tables.expire());
      if (this.#journal.isOlder) await this.#migrate();
    } catch (error) {
      await this.#low.data.close();
      await this.#unlock();
      asStorageError(error);
    }
    this.#closed = false;
  }

  read(refs: readonly ReadRef[]): Promise<(Row | undefined)[]> {
    const isPassing = refs.every(({ once }) => once);
    return this.#ask((tables) => tables.documents(refs).map((found) => found && rowOf(found)), isPassing);
  }

  range(query: RangeQuery): Promise<IndexedRow[]> {
    return this.#ask((tables) => tables.range(query), query.once);
  }

  rank(collection: string, index: string, key: string, id: string): Promise<number | undefined> {
    return this.#ask((tables) => tables.rank(collection, index, key, id));
  }

  count(collection: string, index?: string): Promise<number> {
    return this.#ask((tables) => tables.count(collection, index));
  }

  async page(query: PageQuery): Promise<LogRow[]> {
    checkPage(query.limit);
    const log = this.#tables.logs.get(query.log);
    if (!log) return [];
    const { posting } = query;
    const ids =
      posting === undefined
        ? log.select(query)
        : await this.#ask((tables) => tables.postings(log, query.log, posting, query));
    const values = new Map(ids.map((id) => [id, log.record(id)?.value]));
    const cold = ids.filter((id) => id > log.trimmed && values.get(id) === undefined);
    if (cold.length > 0) {
      const records = await this.#low.data.segmentsOf(query.log).reader.values(cold);
      for (const [id, value] of records) values.set(id, value);
    }
    // Only a trim that came meanwhile may have taken one away.
    return ids
      .filter((id) => id > log.trimmed)
      .map((id) => {
        const value = values.get(id);
        if (value === undefined) throw this.#files.corrupt(this.#files.dir, `lacks record ${id} of ${query.log}`);
        return { id, value };
      });
  }

  async counters(names: readonly string[]): Promise<bigint[]> {
    return names.map((name) => this.#tables.totals.get(name) ?? 0n);
  }

  commit(batch: CommitBatch): Promise<CommitResult> {
    const refusal = this.#closed ? closed() : this.#journal.failure;
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  async changed(log: string, after: number, signal: AbortSignal): Promise<void> {
    if (this.#tables.logs.get(log)?.holdsAbove(after)) return;
    await this.#wakeups.wait(log, signal);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#wakeups.close();
    await this.#flushing;
    await this.#checkpoints.ended();
    try {
      await this.#journal.close();
      await this.#low.data.close();
    } finally {
      await this.#unlock?.();
    }
  }

  dump(): AsyncIterable<DumpRow> {
    if (this.#closed) throw closed();
    return dumpState(this.#low.data);
  }

  load(rows: AsyncIterable<DumpRow>): Promise<void> {
    return loadDirectory(this.#files, this.#options, rows, (options) => new LowdbStorage(options, 'import'));
  }

  examine(): Promise<readonly string[]> {
    return examine(this.#files);
  }

  /** How many commits the open store has seen. */
  get commits(): number {
    return this.#tables.commits;
  }

  async put(changes: readonly StoreChange[]): Promise<void> {
    const { data } = this.#low;
    const beneath = await data.cache.run(() => data.beneath(changes));
    data.staged = [{ number: 0, changes }];
    await this.#low.write();
    for (const change of changes) data.tables.apply(change, beneath);
    await this.#checkpoints.keepUp(data);
    await this.#checkpoints.ended();
    if (this.#checkpoints.refusal) throw this.#checkpoints.refusal;
  }

  async finish(commits: number, floor: number): Promise<void> {
    Object.assign(this.#low.data.tables, { commits, floor });
    await this.#checkpoints.begin(this.#low.data);
    await this.#checkpoints.ended();
    const refusal = this.#journal.failure ?? this.#checkpoints.refusal;
    if (refusal) throw refusal;
  }

  /** Writes everything in the format of today; until that is durable, the files of before stay as they are. */
  async #migrate(): Promise<void> {
    await this.#checkpoints.begin(this.#low.data);
    await this.#checkpoints.ended();
    const refusal = this.#journal.failure ?? this.#checkpoints.refusal;
    if (!refusal) return;
    await this.#journal.close().catch(() => {});
    throw refusal;
  }

  async #refuseUnfinished(): Promise<void> {
    const { dir, disk } = this.#files;
    const draft = draftOf(dir);
    if ((await disk.size(draft)) === undefined) return;
    throw new StorageError(
      'corrupt',
      `an import into ${dir} was not finished; run "mesh import" again, or remove ${draft} to go on without it`,
    );
  }

  get #tables(): Tables {
    if (this.#closed) throw closed();
    return this.#low.data.tables;
  }

  /** Writes waiting commits, group after group. The rows change when their group is on the disk, not before. */
  async #flush(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, fitting(this.#waiting));
      try {
        await this.#checkpoints.makeRoom(this.#low.data);
        const staged = await this.#write(group.map(({ batch }) => batch));
        for (const [i, { resolve }] of group.entries()) resolve(staged[i]!.result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      await this.#checkpoints.keepUp(this.#low.data);
    }
    this.#flushing = undefined;
  }

  async #write(batches: readonly CommitBatch[]): Promise<Staged[]> {
    const { data } = this.#low;
    const { tables } = data;
    const { staging, staged, beneath } = await data.cache.run(() => stage(data, batches));
    data.staged = staged.filter(({ changes }) => changes.length > 0);
    if (data.staged.length > 0) await this.#low.write();
    const grown = new Set<string>();
    for (const { changes } of data.staged) {
      for (const change of changes) {
        tables.apply(change, beneath);
        if (change[0] === 'append') grown.add(change[1]);
      }
    }
    tables.commits = staging.commits;
    for (const log of grown) this.#wakeups.wake(log);
    return staged;
  }

  /** Looks at one moment of the tables, after reading their parts that are in files. */
  #ask<T>(look: (tables: Tables) => T, once = false): Promise<T> {
    return this.#low.data.cache.run(() => look(this.#tables), once);
  }
}

function asStorageError(error: unknown): never {
  if (error instanceof StorageError) throw error;
  const hint = remedyOf(error);
  const reason = describeProblem({
    where: 'the store cannot be opened',
    what: messageOf(error),
    ...(hint && { hint }),
  });
  throw new StorageError('unavailable', reason, { cause: error });
}

function closed(): StorageError {
  return new StorageError('closed', 'the store is closed');
}
