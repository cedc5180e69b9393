import assert from 'node:assert/strict';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { StorageError, type StorageFault } from '../../core/storage/adapter.ts';
import { appendLog, collection, counter } from '../../core/storage/declarations.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore, type Store } from '../../core/storage/store.ts';

export const anything = () => [];

export const entries = appendLog<{ by: string }>('entries', {
  schema: anything,
  postings: ({ by }) => [by.split('.')[0]!],
});
export const tasks = collection<{ count: number }>('tasks', { schema: anything });
export const sum = counter('sum');

export interface Settings {
  readonly url: string;
  readonly prefix: string;
  readonly commandTimeout?: number;
  readonly openTimeout?: number;
}

export async function openRedis(settings: Settings): Promise<Store> {
  return openStore(redisStorage(settings), { validate: anything, clock: systemClock, random: systemRandom });
}

/** One effect in three places, done once however often it is tried. */
export async function writeOnce(space: Space, by: string): Promise<void> {
  const task = tasks.ref(by.split('.')[0]!);
  await space.tx(
    [task],
    (tx) => {
      tx.put(task, { count: (tx.get(task)?.count ?? 0) + 1 });
      tx.append(entries, { by });
      tx.add(sum, 1);
    },
    { opId: by },
  );
}

/** Writes it, trying again under the same operation id while the outcome is unknown; gives how many tries it took. */
export async function insist(space: Space, by: string, limit = 20_000): Promise<number> {
  const started = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      await writeOnce(space, by);
      return tries;
    } catch (error) {
      if (!isFault(error, 'unavailable') || performance.now() - started > limit) throw error;
      await systemClock.sleep(5);
    }
  }
}

/** Checks that every one of these was done once, and nothing else; gives the ids of the log. */
export async function checkDone(space: Space, done: readonly string[]): Promise<number[]> {
  const rows = [];
  for (let page = await space.page(entries, { after: 0, limit: 1_000 }); page.length > 0; ) {
    rows.push(...page);
    page = await space.page(entries, { after: page.at(-1)!.id, limit: 1_000 });
  }
  assert.deepEqual(rows.map(({ record }) => record.by).sort(), [...done].sort());
  assert.equal(await space.total(sum), BigInt(done.length));
  const counts = new Map<string, number>();
  for (const by of done) counts.set(by.split('.')[0]!, (counts.get(by.split('.')[0]!) ?? 0) + 1);
  for (const [task, count] of counts) assert.deepEqual(await space.get(tasks.ref(task)), { count });
  return rows.map(({ id }) => id);
}

export function isFault(error: unknown, fault: StorageFault): boolean {
  return error instanceof StorageError && error.fault === fault;
}

export function fault(expected: StorageFault): (error: unknown) => boolean {
  return (error) => isFault(error, expected) || assert.fail(`expected ${expected}, not ${String(error)}`);
}
