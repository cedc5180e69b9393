import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { type CommitBatch, type StorageAdapter, StorageError } from '../../core/storage/adapter.ts';
import { appendLog, collection } from '../../core/storage/declarations.ts';
import { Store } from '../../core/storage/store.ts';

const anything = () => [];
const notes = collection<number>('notes', { schema: anything });
const events = appendLog<number>('events', { schema: anything });

/** A memory store whose commits something else meddles with. */
function storeWith(
  meddle: (
    commit: () => ReturnType<StorageAdapter['commit']>,
    batch: CommitBatch,
  ) => ReturnType<StorageAdapter['commit']>,
) {
  const memory = memoryStorage({ clock: systemClock });
  const adapter = Object.create(memory, {
    commit: { value: (batch: CommitBatch) => meddle(() => memory.commit(batch), batch) },
    ...Object.fromEntries(
      (['read', 'page', 'range', 'close'] as const).map((name) => [
        name,
        { value: (...args: [any]) => (memory[name] as any)(...args) },
      ]),
    ),
  });
  return { memory, store: new Store(adapter, { validate: anything, clock: systemClock, random: systemRandom }) };
}

const fault = (name: string) => (error: unknown) => error instanceof StorageError && error.fault === name;

describe('waiting transactions', () => {
  it('run again in smaller batches when another process was faster, and give up after a bounded number of tries', async () => {
    const sizes: number[] = [];
    const { store } = storeWith(async (_, { effects }) => {
      sizes.push(effects.length);
      return { ok: false, stale: [] };
    });
    const space = store.space('core');
    const writes = Array.from({ length: 8 }, (_, n) => space.put(notes.ref(`${n}`), n));
    for (const write of writes) await assert.rejects(write, fault('conflict'));
    assert.deepEqual(sizes.slice(0, 4), [8, 4, 2, 1]);
    assert.ok(sizes.length < 250, `${sizes.length} commits`);
  });

  it('read documents they did not declare when they pull them, and run again from their beginning', async () => {
    const { store } = storeWith((commit) => commit());
    const space = store.space('core');
    await space.put(notes.ref('one'), 1);
    await space.put(notes.ref('two'), 2);
    let runs = 0;
    const { value, ids } = await space.tx([notes.ref('one')], (tx) => {
      runs++;
      tx.append(events, runs);
      const pulled = tx.pull([notes.ref('one'), notes.ref('two'), notes.ref('none')]);
      tx.put(notes.ref('two'), 3);
      return [...pulled, ...tx.pull([notes.ref('two')])];
    });
    assert.deepEqual(value, [1, 2, undefined, 3]);
    assert.equal(runs, 2);
    assert.equal(ids.length, 1);
    await assert.rejects(
      space.tx([], (tx) => tx.get(notes.ref('two'))),
      /without declaring it/,
    );
  });

  it('see the newer state when they run again', async () => {
    let meddled = false;
    const { memory, store } = storeWith(async (commit) => {
      if (!meddled) {
        meddled = true;
        await memory.commit({
          checks: [],
          effects: [{ kind: 'put', collection: 'core:notes', id: 'n', value: '41', entries: [] }],
        });
      }
      return commit();
    });
    const ref = notes.ref('n');
    const { value } = await store.space('core').tx([ref], (tx) => {
      const next = (tx.get(ref) ?? 0) + 1;
      tx.put(ref, next);
      return next;
    });
    assert.equal(value, 42);
  });

  it('an error about a state that was never committed is not told', async () => {
    let commits = 0;
    const { store } = storeWith(async (commit) => {
      if (commits++ === 0) throw new StorageError('unavailable', 'no connection');
      return commit();
    });
    const space = store.space('core');
    const ref = notes.ref('n');
    const results = await Promise.allSettled([
      space.put(ref, 1),
      space.tx([ref], (tx) => {
        if (tx.get(ref) === 1) throw new Error('there is a note');
      }),
    ]);
    for (const result of results) assert.ok(result.status === 'rejected' && fault('unavailable')(result.reason));
    assert.equal(await space.get(ref), undefined);
  });

  it('an operation whose outcome was unknown is not done twice', async () => {
    let cut = true;
    const { store } = storeWith(async (commit) => {
      const result = await commit();
      if (cut) throw new StorageError('unavailable', 'the answer was lost');
      return result;
    });
    const space = store.space('core');
    const operate = () => space.tx([], (tx) => tx.append(events, 1), { opId: 'op' });
    await assert.rejects(operate(), fault('unavailable'));
    cut = false;
    assert.equal((await operate()).replayed, true);
    assert.equal((await space.page(events)).length, 1);
  });

  it('are refused when too many wait, without harm to those that do', async () => {
    const { store } = storeWith((commit) => commit());
    const space = store.space('core');
    const writes = Array.from({ length: 16_400 }, (_, n) => space.append(events, n));
    const results = await Promise.allSettled(writes);
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 16);
    for (const { reason } of refused) assert.ok(fault('full')(reason));
  });

  it('that declare what is no reference fail alone', async () => {
    const { store } = storeWith((commit) => commit());
    const space = store.space('core');
    const wrong = space.tx([undefined as any], () => {});
    const right = space.put(notes.ref('a'), 1);
    await assert.rejects(wrong, TypeError);
    await right;
    assert.equal(await space.get(notes.ref('a')), 1);
  });

  it('are finished at the end, and later ones refused', async () => {
    const { memory, store } = storeWith((commit) => commit());
    const space = store.space('core');
    const last = space.append(events, 1);
    await store.close();
    assert.equal(await last, 1);
    await assert.rejects(space.append(events, 2), fault('closed'));
    await assert.rejects(memory.count('x'), fault('closed'));
  });

  it('run while the commit before is on its way, over what that one will leave', async () => {
    const memory = memoryStorage({ clock: systemClock });
    const asked: string[][] = [];
    const order: string[] = [];
    const runs: string[] = [];
    let release = () => {};
    const adapter = {
      ...Object.fromEntries(
        ['open', 'page', 'range', 'close'].map((name) => [
          name,
          (...args: unknown[]) => (memory as any)[name](...args),
        ]),
      ),
      guarantees: memory.guarantees,
      read(refs: { collection: string; id: string }[]) {
        asked.push(refs.map(({ id }) => id));
        order.push('read');
        return memory.read(refs);
      },
      async commit(batch: CommitBatch) {
        order.push('commit');
        if (order.filter((what) => what === 'commit').length === 1) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        order.push('committed');
        return memory.commit(batch);
      },
    } as unknown as StorageAdapter;
    const store = new Store(adapter, { validate: anything, clock: systemClock, random: systemRandom });
    const space = store.space('core');
    const add = (...ids: string[]) =>
      space.tx(
        ids.map((id) => notes.ref(id)),
        (tx) => {
          runs.push(ids.join(''));
          for (const id of ids) tx.put(notes.ref(id), (tx.get(notes.ref(id)) ?? 0) + 1);
        },
      );
    const first = add('a');
    while (order.at(-1) !== 'commit') await systemClock.sleep(1);
    const second = [add('a', 'b'), add('c')];
    await systemClock.sleep(5);
    assert.deepEqual(asked, [['a'], ['b', 'c']]);
    assert.deepEqual(runs, ['a', 'ab', 'c']);
    release();
    await Promise.all([first, ...second]);
    assert.deepEqual(order, ['read', 'commit', 'read', 'committed', 'commit', 'committed']);
    assert.deepEqual(runs, ['a', 'ab', 'c']);
    assert.deepEqual(await space.getMany(['a', 'b', 'c'].map((id) => notes.ref(id))), [2, 1, 1]);
    await store.close();
  });

  for (const outcome of ['refused', 'failed'] as const) {
    it(`run again when the commit before, over which they were run, is ${outcome}`, async () => {
      let begun = () => {};
      const first = new Promise<void>((resolve) => {
        begun = resolve;
      });
      let release = () => {};
      let commits = 0;
      const { memory, store } = storeWith(async (commit) => {
        if (commits++ > 0) return commit();
        begun();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        if (outcome === 'failed') throw new StorageError('unavailable', 'no connection');
        await memory.commit({
          checks: [],
          effects: [{ kind: 'put', collection: 'core:notes', id: 'n', value: '40', entries: [] }],
        });
        return commit();
      });
      const space = store.space('core');
      const ref = notes.ref('n');
      const seen: number[] = [];
      const add = (amount: number) =>
        space.tx([ref], (tx) => {
          seen.push(tx.get(ref) ?? 0);
          tx.put(ref, (tx.get(ref) ?? 0) + amount);
        });
      const one = add(1);
      await first;
      const two = add(2);
      while (seen.length < 2) await systemClock.sleep(1);
      assert.deepEqual(seen, [0, 1]);
      release();
      const told = await Promise.allSettled([one, two]);
      assert.equal(told[1]!.status, 'fulfilled');
      assert.equal(told[0]!.status, outcome === 'failed' ? 'rejected' : 'fulfilled');
      assert.equal(await space.get(ref), outcome === 'failed' ? 2 : 43);
      await store.close();
    });
  }
});
