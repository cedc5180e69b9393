import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import { appendLog, collection, counter, queue } from '../../core/storage/declarations.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore, type Store } from '../../core/storage/store.ts';

const anything = () => [];

/** `round.task.n`: the n-th transaction of a task of a round. */
interface Entry {
  readonly by: string;
  readonly filling: string;
}

export const entries = appendLog<Entry>('entries', { schema: anything, postings: ({ by }) => [by.split('.')[1]!] });
export const tasks = collection<{ last: string; count: number }>('tasks', { schema: anything });
export const sum = counter('sum');
export const recent = queue<string>('recent', { schema: anything, cap: 10, overflow: 'drop-oldest' });

export function openSmall(dir: string): Promise<Store> {
  const adapter = lowdbStorage({
    dir,
    clock: systemClock,
    checkpointBytes: 32 * 1024,
    segmentRecords: 100,
    hotRecords: 20,
  });
  return openStore(adapter, { validate: anything, clock: systemClock, random: systemRandom });
}

/** One transaction in four places; gives the id of its entry. */
export async function writeEntry(space: Space, by: string): Promise<number> {
  const task = tasks.ref(by.split('.')[1]!);
  const { ids } = await space.tx([task], (tx) => {
    tx.put(task, { last: by, count: (tx.get(task)?.count ?? 0) + 1 });
    tx.append(entries, { by, filling: 'x'.repeat(200) });
    tx.add(sum, 1);
    tx.push(recent.ref('all'), by);
  });
  return ids[0]!;
}

/**
 * As a process of its own: writes until it is killed or the store fails. Prints `<by> <id>` for everything that was
 * acknowledged; at a failure its fault, and how many entries can still be read.
 */
async function main(dir: string, round: string): Promise<void> {
  const store = await openSmall(dir);
  const space = store.space('core');
  async function work(task: number): Promise<void> {
    for (let n = 0; ; n++) {
      const by = `${round}.${task}.${n}`;
      process.stdout.write(`${by} ${await writeEntry(space, by)}\n`);
    }
  }
  try {
    await Promise.all(Array.from({ length: 8 }, (_, task) => work(task)));
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const again = await writeEntry(space, 'again.0.0').catch((refusal: StorageError) => refusal.fault);
    process.stdout.write(`${error.fault} ${again} ${(await space.page(entries, { limit: 10 })).length}\n`);
    await store.close().catch(() => {});
  }
}

const [, , dir, round] = process.argv;
if (process.env['MESH_TEST_WRITER'] && dir && round) await main(dir, round);
