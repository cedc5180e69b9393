import assert from 'node:assert/strict';
import { type Effect, StorageError } from '../storage/adapter.ts';
import { append, idsOf, put, SHARP_IDS } from './storage-adapter.ts';
import { bench, type CreateStorage, type Runner } from './storage-contract.ts';

export function lifetimeContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('expiry, waiting, closing, opening again', () => {
    const at = bench(create, runner);
    const thing = (id: string) => ({ collection: 'things', id });
    const commit = (...effects: Effect[]) => at.adapter.commit({ checks: [], effects });
    const read = async (id: string) => (await at.adapter.read([thing(id)]))[0];

    it('hides what has expired from reads, pages, counts, ranks and checks', async () => {
      await commit(
        ...[1, 2, 3, 4].map((i) => put(`${i}`, 'v', [['by', `k${i}`]], i % 2 ? at.now + 1_000 : undefined)),
        put('past', 'v', [['by', 'k0']], at.now - 1),
      );
      assert.equal(await read('past'), undefined);
      assert.equal((await at.adapter.range({ collection: 'things', index: 'by', limit: 9 })).length, 4);
      at.now += 1_000;
      assert.equal(await read('1'), undefined);
      const left = await at.adapter.range({ collection: 'things', index: 'by', limit: 2 });
      assert.deepEqual(
        left.map((row) => row.id),
        ['2', '4'],
      );
      assert.equal(await at.adapter.count('things'), 2);
      assert.equal(await at.adapter.count('things', 'by'), 2);
      assert.equal(await at.adapter.rank('things', 'by', 'k4', '4'), 1);
      const fresh = await at.adapter.commit({ checks: [{ ...thing('1'), version: 0 }], effects: [put('1', 'again')] });
      assert.ok(fresh.ok);
    });

    it('keeps a document whose expiry was put off', async () => {
      await commit(put('a', 'v', [], at.now + 10));
      await commit(put('a', 'v', [], at.now + 1_000));
      await commit(put('b', 'v', [], at.now + 10));
      await commit(put('b', 'v'));
      at.now += 500;
      assert.ok((await read('a')) && (await read('b')));
      at.now += 500;
      assert.equal(await read('a'), undefined);
    });

    it('tells who waits for a log that it grew, once that can be read', async () => {
      const signal = new AbortController().signal;
      let told = false;
      const waiting = at.adapter.changed('events', 0, signal).then(async () => {
        told = true;
        return at.adapter.page({ log: 'events', after: 0, limit: 1 });
      });
      await commit(append('other', 'x'));
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(told, false);
      await commit(append('events', 'x'));
      assert.equal((await waiting).length, 1);
      await at.adapter.changed('events', 0, signal);
    });

    it('lets who is behind the trimmed end of a log wait, instead of asking again and again', async () => {
      await commit(append('events', 'x'), append('events', 'y'));
      await commit({ kind: 'trim', log: 'events', upTo: 2 });
      let told = false;
      const waiting = at.adapter.changed('events', 0, new AbortController().signal).then(() => {
        told = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(told, false);
      await commit(append('events', 'z'));
      await waiting;
    });

    it('lets who waits for a log go when aborted and at the end', async () => {
      const stop = new AbortController();
      const aborted = at.adapter.changed('events', 0, stop.signal);
      const closed = at.adapter.changed('events', 0, new AbortController().signal);
      stop.abort();
      await aborted;
      await at.adapter.close();
      await closed;
    });

    it('refuses every call after it was closed', async () => {
      await at.adapter.close();
      const calls = [
        read('a'),
        at.adapter.range({ collection: 'a', limit: 1 }),
        at.adapter.page({ log: 'a', limit: 1 }),
        at.adapter.count('a'),
        at.adapter.rank('a', 'b', 'c', 'd'),
        at.adapter.counters(['a']),
        commit(put('a')),
      ];
      for (const call of calls)
        await assert.rejects(call, (error) => error instanceof StorageError && error.fault === 'closed');
      await at.adapter.close();
    });

    it('keeps everything when it is opened again, if it keeps anything', async () => {
      if (!at.reopen) return assert.equal(at.adapter.guarantees.durability, 'none');
      await commit(
        ...SHARP_IDS.map((id) => put(id, id, [['by', 'k']])),
        append('events', 'é\n', SHARP_IDS),
        { kind: 'add', counter: 'n', amount: -(2n ** 70n) },
        put('mortal', 'v', [], at.now + 1_000),
      );
      await commit({ kind: 'delete', collection: 'things', id: 'a' });
      const before = (await read('ab'))!.version;
      await at.reopen();
      const rows = await at.adapter.read(SHARP_IDS.map(thing));
      assert.deepEqual(
        rows.map((row) => row?.value),
        SHARP_IDS.map((id) => (id === 'a' ? undefined : id)),
      );
      assert.equal(await at.adapter.count('things', 'by'), SHARP_IDS.length - 1);
      assert.deepEqual(await at.adapter.page({ log: 'events', posting: '🦊', limit: 5 }), [{ id: 1, value: 'é\n' }]);
      assert.deepEqual(await at.adapter.counters(['n']), [-(2n ** 70n)]);
      assert.deepEqual(idsOf(await commit(append('events', 'next'), put('ab'))), [2]);
      assert.ok((await read('ab'))!.version > before);
      at.now += 1_000;
      assert.equal(await read('mortal'), undefined);
    });
  });
}
