import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LowdbOptions, lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { Effect, StorageAdapter } from '../../core/storage/adapter.ts';

export type Sizes = Pick<LowdbOptions, 'checkpointBytes' | 'segmentRecords' | 'hotRecords'>;

/** The directory of a store under test; everything made here is removed by `remove`. */
export class StoreDirectory {
  readonly path: string;
  readonly #opened: StorageAdapter[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<StoreDirectory> {
    return new StoreDirectory(await mkdtemp(join(tmpdir(), 'mesh-storage-')));
  }

  async open(sizes: Sizes = {}): Promise<StorageAdapter> {
    const adapter = lowdbStorage({ dir: this.path, clock: systemClock, ...sizes });
    await adapter.open();
    this.#opened.push(adapter);
    return adapter;
  }

  async copy(): Promise<StoreDirectory> {
    const copy = await StoreDirectory.make();
    await cp(this.path, copy.path, { recursive: true });
    return copy;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async files(pattern: RegExp): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => pattern.test(name)).sort();
  }

  async remove(): Promise<void> {
    for (const adapter of this.#opened) await adapter.close();
    await rm(this.path, { recursive: true });
  }
}

/** Appends one record to `events`, remembers its number in a document and counts it: all three or none. */
export function event(n: number): Effect[] {
  return [
    { kind: 'append', log: 'events', value: `event ${n}`, postings: [n % 2 ? 'odd' : 'even'] },
    { kind: 'put', collection: 'last', id: 'event', value: `${n}`, entries: [] },
    { kind: 'add', counter: 'events', amount: 1n },
  ];
}

export async function writeEvents(adapter: StorageAdapter, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) await adapter.commit({ checks: [], effects: event(n) });
}

/** How many events a store holds. Throws when they are not exactly events 1 to n, in every form. */
export async function countEvents(adapter: StorageAdapter): Promise<number> {
  const total = Number((await adapter.counters(['events']))[0]);
  const [last] = await adapter.read([{ collection: 'last', id: 'event' }]);
  const expected = Array.from({ length: total }, (_, i) => ({ id: i + 1, value: `event ${i + 1}` }));
  if (Number(last?.value ?? 0) !== total) throw new Error(`${total} events were counted, the last is ${last?.value}`);
  for (const posting of [undefined, 'odd', 'even']) {
    const rows = await allRows(adapter, posting);
    const due = expected.filter(({ id }) => posting === undefined || (id % 2 === 1) === (posting === 'odd'));
    if (JSON.stringify(rows) !== JSON.stringify(due)) throw new Error(`the log does not hold events 1 to ${total}`);
  }
  return total;
}

async function allRows(adapter: StorageAdapter, posting: string | undefined) {
  const rows = [];
  for (;;) {
    const after = rows.at(-1)?.id ?? 0;
    const page = await adapter.page({ log: 'events', after, limit: 500, ...(posting !== undefined && { posting }) });
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}
