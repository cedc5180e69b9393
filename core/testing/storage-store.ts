import assert from 'node:assert/strict';
import { systemClock, systemRandom } from '../platform/system-clock.ts';
import { StorageError } from '../storage/adapter.ts';
import { appendLog, collection, counter, expiring, ranking } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import { Store } from '../storage/store.ts';
import { InvalidValue } from '../storage/values.ts';
import { SHARP_IDS } from './storage-adapter.ts';
import { type Bench, bench, type CreateStorage, type Runner } from './storage-contract.ts';

interface Note {
  text: string;
  size: number;
  tags?: string[];
}

export const anything = () => [];

const notes = collection<Note, 'by_size' | 'by_tag'>('notes', {
  schema: 'note',
  indexes: { by_size: (note) => [note.size], by_tag: (note) => note.tags?.map((tag) => [tag]) },
});
const events = appendLog<{ who: string; n: number }>('events', { schema: anything, postings: ({ who }) => [who] });
const board = ranking('board');
const sum = counter('sum');
const hosts = expiring<{ url: string }>('hosts', { schema: anything, ms: 120_000 });

/** A space of a store on the adapter of the running test; `note` is the only schema it knows. */
export function spaceOn(at: Bench, name = 'core'): Space {
  const validate = (schema: string, value: unknown) =>
    schema === 'note' && typeof (value as Note).text === 'string'
      ? []
      : [{ pointer: '/text', message: 'is not a string' }];
  return new Store(at.adapter, { validate, clock: { ...systemClock, now: () => at.now }, random: systemRandom }).space(
    name,
  );
}

export function storeContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('transactions', () => {
    const at = bench(create, runner);
    const note = (text: string, size = 1): Note => ({ text, size });

    it('a throw leaves nothing of its own effects and all of the others’ (C1)', async () => {
      const space = spaceOn(at);
      const write = (id: string, fail: boolean) =>
        space.tx([], (tx) => {
          tx.put(notes.ref(id), note(id));
          tx.append(events, { who: id, n: 1 });
          tx.rank(board, id, 1);
          tx.add(sum, 1);
          if (fail) throw new Error(`no ${id}`);
          return id;
        });
      const results = await Promise.allSettled([write('a', false), write('b', true), write('c', false)]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(
        (await space.page(notes)).map(({ id }) => id),
        ['a', 'c'],
      );
      assert.deepEqual(
        (await space.page(events)).map(({ id, record }) => `${id}${record.who}`),
        ['2c', '1a'],
      );
      assert.deepEqual(await space.page(board), [
        { member: 'a', score: 1 },
        { member: 'c', score: 1 },
      ]);
      assert.equal(await space.total(sum), 2n);
    });

    it('64 tasks of 100 increments on one document are exact (C2)', async () => {
      const spaces = [spaceOn(at), spaceOn(at)];
      const size = counter('steps').ref('é');
      const step = (space: Space) =>
        space.tx([notes.ref('n')], (tx) => {
          tx.put(notes.ref('n'), note('n', (tx.get(notes.ref('n'))?.size ?? 0) + 1));
          tx.add(size, 1n);
        });
      const task = async (i: number) => {
        for (let n = 0; n < 100; n++) await step(spaces[i % 2]!);
      };
      await Promise.all(Array.from({ length: 64 }, (_, i) => task(i)));
      assert.equal((await spaces[0]!.get(notes.ref('n')))?.size, 6_400);
      assert.deepEqual(await spaces[0]!.totals([size, sum.ref()]), [6_400n, 0n]);
    });

    it('a later transaction of the same batch sees an earlier one, and a deletion', async () => {
      const space = spaceOn(at);
      const ref = notes.ref('n');
      const seen = await Promise.all([
        space.tx([ref], (tx) => [tx.get(ref)?.text, tx.put(ref, note('one'))]),
        space.tx([ref], (tx) => [tx.get(ref)?.text, tx.del(ref), tx.get(ref)?.text]),
        space.tx([ref], (tx) => [tx.get(ref)?.text, tx.put(ref, note('two')), tx.get(ref)?.text]),
      ]);
      assert.deepEqual(
        seen.map(({ value }) => value),
        [
          [undefined, undefined],
          ['one', undefined, undefined],
          [undefined, undefined, 'two'],
        ],
      );
      assert.deepEqual(await space.get(ref), note('two'));
    });

    it('gives each transaction the ids of its own records', async () => {
      const space = spaceOn(at);
      const results = await Promise.all(
        [2, 0, 3].map((count) =>
          space.tx([], (tx) => {
            for (let n = 0; n < count; n++) tx.append(events, { who: 'a', n });
          }),
        ),
      );
      assert.deepEqual(
        results.map(({ ids }) => ids),
        [[1, 2], [], [3, 4, 5]],
      );
    });

    it('does an operation id once, within a batch, across batches and stores, until it is forgotten (C6, C13)', async () => {
      let runs = 0;
      const operate = (space: Space) =>
        space.tx(
          [notes.ref('n')],
          (tx) => {
            runs++;
            tx.append(events, { who: 'a', n: 1 });
            return { had: tx.get(notes.ref('n')) ?? null, now: tx.now };
          },
          { opId: 'op *' },
        );
      const space = spaceOn(at);
      const first = await Promise.all([operate(space), operate(space), operate(space)]);
      at.now += 1_000;
      const again = [await operate(space), await operate(spaceOn(at))];
      for (const { value } of [...first, ...again]) assert.deepEqual(value, { had: null, now: at.now - 1_000 });
      assert.deepEqual(
        [...first, ...again].map(({ replayed }) => replayed),
        [false, true, true, true, true],
      );
      assert.deepEqual([runs, (await space.page(events)).length], [1, 1]);
      assert.equal((await operate(spaceOn(at, 'other'))).replayed, false);
      at.now += 24 * 60 * 60 * 1000;
      assert.equal((await operate(space)).replayed, false);
    });

    it('a failed operation may be tried again under its id', async () => {
      const space = spaceOn(at);
      const operate = (fail: boolean) =>
        space.tx(
          [],
          () => {
            if (fail) throw new Error('no');
          },
          { opId: 'x' },
        );
      await assert.rejects(operate(true), /no/);
      assert.deepEqual(await operate(false), { value: undefined, ids: [], replayed: false });
      assert.equal((await operate(true)).replayed, true);
    });

    it('refuses undeclared reads, late use and asynchronous functions', async () => {
      const space = spaceOn(at);
      await space.put(notes.ref('n'), note('n'));
      await assert.rejects(
        space.tx([notes.ref('m')], (tx) => tx.get(notes.ref('n'))),
        /without declaring/,
      );
      await assert.rejects(
        space.tx([], async () => {}),
        /synchronous/,
      );
      const { value: late } = await space.tx([], (tx) => () => tx.put(notes.ref('x'), note('x')));
      assert.throws(late, /after its function/);
    });

    it('refuses what misses its schema or JSON would change (C12)', async () => {
      const space = spaceOn(at);
      const bad = [
        Number.NaN,
        Number.POSITIVE_INFINITY,
        undefined,
        1n,
        new Date(),
        new Map(),
        () => {},
        Symbol('s'),
        [undefined],
        { toJSON: () => 1 },
      ];
      for (const value of bad) {
        await assert.rejects(
          space.put(notes.ref('n'), { text: 'x', size: value } as Note),
          InvalidValue,
          String(value),
        );
        await assert.rejects(space.append(events, { who: 'a', n: value as number }), InvalidValue);
      }
      await assert.rejects(space.put(notes.ref('n'), { size: 1 } as Note), /\/text is not a string/);
      await assert.rejects(
        space.tx([], (tx) => tx.rank(board, 'a', Number.NaN)),
        InvalidValue,
      );
      await assert.rejects(
        space.put(notes.ref('n'), note('x'.repeat(1_100_000))),
        (error) => error instanceof StorageError && error.fault === 'too_large',
      );
      assert.equal(await space.count(notes), 0);
    });

    it('cuts batches that are too large and refuses a transaction that is', async () => {
      const space = spaceOn(at);
      const write = (count: number) =>
        space.tx([], (tx) => {
          for (let n = 0; n < count; n++) tx.append(events, { who: 'x'.repeat(900_000), n });
        });
      const wide = appendLog<string>('wide', { schema: anything });
      await Promise.all(Array.from({ length: 10 }, () => space.append(wide, 'x'.repeat(900_000))));
      assert.equal((await space.page(wide)).length, 10);
      await assert.rejects(write(6));
    });

    it('keeps sharp ids and members apart (C11)', async () => {
      const space = spaceOn(at);
      await Promise.all(
        SHARP_IDS.map((id, i) =>
          space.tx([], (tx) => {
            tx.put(notes.ref(id), { text: id, size: 1, tags: [id] });
            tx.append(events, { who: id, n: i });
            tx.rank(board, id, i);
          }),
        ),
      );
      for (const [i, id] of SHARP_IDS.entries()) {
        assert.equal((await space.get(notes.ref(id)))?.text, id);
        assert.deepEqual(
          (await space.page(notes, { index: 'by_tag', prefix: [id] })).map((row) => row.id),
          [id],
        );
        assert.deepEqual(
          (await space.page(events, { posting: id })).map(({ record }) => record),
          [{ who: id, n: i }],
        );
        assert.equal(await space.rankOf(board, id), SHARP_IDS.length - i);
      }
      for (const id of ['', 'a\0b', '\ud800', 'x'.repeat(4_097)]) assert.throws(() => notes.ref(id), TypeError);
    });

    it('keeps spaces apart, also `a` and `ab`', async () => {
      const [a, ab] = [spaceOn(at, 'a'), spaceOn(at, 'ab')];
      await Promise.all(
        [a, ab].map((space) =>
          space.tx([], (tx) => {
            tx.put(notes.ref('n'), note(space.name));
            tx.add(sum, 1);
            tx.rank(board, 'm', 1);
          }),
        ),
      );
      await a.del(notes.ref('n'));
      assert.equal(await a.get(notes.ref('n')), undefined);
      assert.equal((await ab.get(notes.ref('n')))?.text, 'ab');
      assert.equal(await ab.total(sum), 1n);
      assert.throws(() => spaceOn(at, 'a:b'), TypeError);
    });

    it('never shows an expired document (C8)', async () => {
      const space = spaceOn(at);
      await space.put(hosts.ref('a'), { url: 'a' });
      at.now += 60_000;
      await space.put(hosts.ref('b'), { url: 'b' });
      at.now += 59_999;
      assert.equal((await space.page(hosts)).length, 2);
      at.now += 1;
      assert.deepEqual(
        (await space.page(hosts)).map(({ id }) => id),
        ['b'],
      );
      assert.deepEqual(await space.getMany([hosts.ref('a'), hosts.ref('b')]), [undefined, { url: 'b' }]);
      assert.equal(
        await space.tx([hosts.ref('a')], (tx) => tx.get(hosts.ref('a'))).then(({ value }) => value),
        undefined,
      );
      assert.equal(await space.count(hosts), 1);
    });
  });
}
