import assert from 'node:assert/strict';
import type { RangeQuery } from '../storage/adapter.ts';
import { put, SHARP_IDS } from './storage-adapter.ts';
import { bench, type CreateStorage, type Runner } from './storage-contract.ts';

export function orderContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('indexes', () => {
    const at = bench(create, runner);
    const ids = async (query: Partial<RangeQuery>) =>
      (await at.adapter.range({ collection: 'things', index: 'by', limit: 100, ...query })).map((row) => row.id);
    const write = (...effects: ReturnType<typeof put>[]) => at.adapter.commit({ checks: [], effects });

    it('orders by key, then by id, both bytewise', async () => {
      await write(
        ...SHARP_IDS.map((id) => put(id, id, [['by', 'same']])),
        put('first', '', [['by', 'a']]),
        put('last', '', [['by', 'z']]),
      );
      const bytewise = SHARP_IDS.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(await ids({}), ['first', ...bytewise, 'last']);
      assert.deepEqual(await ids({ reverse: true }), ['last', ...bytewise.toReversed(), 'first']);
      const all = await at.adapter.range({ collection: 'things', limit: 100 });
      assert.deepEqual(
        all.map((row) => row.id),
        [...SHARP_IDS, 'first', 'last'].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      assert.ok(all.every((row) => row.key === row.id));
    });

    it('pages within bounds, by offset and by the last entry', async () => {
      await write(...'abcdefgh'.split('').map((key, i) => put(`${i}`, key, [['by', key]])));
      for (const [query, expected] of [
        [{ from: 'c' }, '234567'],
        [{ to: 'c' }, '01'],
        [{ from: 'c', to: 'f' }, '234'],
        [{ from: 'c', to: 'f', reverse: true }, '432'],
        [{ from: 'f', to: 'c' }, ''],
        [{ limit: 3 }, '012'],
        [{ limit: 3, reverse: true }, '765'],
        [{ limit: 3, offset: 2 }, '234'],
        [{ limit: 3, offset: 6 }, '67'],
        [{ limit: 3, offset: 60 }, ''],
        [{ limit: 3, offset: 6, reverse: true }, '10'],
        [{ limit: 3, after: { key: 'c', id: '2' } }, '345'],
        [{ limit: 3, after: { key: 'c', id: '2' }, reverse: true }, '10'],
        [{ limit: 3, after: { key: 'c', id: '1' } }, '234'],
        [{ limit: 3, after: { key: 'bb', id: 'x' }, reverse: true }, '10'],
        [{ from: 'c', to: 'e', after: { key: 'a', id: '0' } }, '23'],
        [{ from: 'c', to: 'e', after: { key: 'h', id: '7' }, reverse: true }, '32'],
        [{ after: { key: 'h', id: '7' } }, ''],
      ] as const) {
        assert.equal((await ids(query)).join(''), expected, JSON.stringify(query));
      }
    });

    it('follows changes and deletions of a document', async () => {
      await write(
        put('a', '1', [
          ['by', 'x'],
          ['by', 'y'],
          ['by', 'y'],
          ['other', 'o'],
        ]),
      );
      assert.deepEqual(await ids({}), ['a', 'a']);
      assert.equal(await at.adapter.count('things', 'by'), 2);
      await write(put('a', '2', [['by', 'z']]));
      assert.deepEqual(
        (await at.adapter.range({ collection: 'things', index: 'by', limit: 9 })).map(({ key, value }) => key + value),
        ['z2'],
      );
      assert.deepEqual(await ids({ index: 'other' }), []);
      await write(put('a', '3', [['by', 'y']]), put('a', '4', [['by', 'w']]));
      assert.deepEqual(await ids({ from: 'w', to: 'x' }), ['a']);
      assert.equal(await at.adapter.count('things', 'by'), 1);
      await at.adapter.commit({ checks: [], effects: [{ kind: 'delete', collection: 'things', id: 'a' }] });
      assert.deepEqual(await ids({}), []);
      assert.equal(await at.adapter.count('things'), 0);
    });

    it('ranks from 0 in ascending order', async () => {
      await write(
        ...'abcdefgh'.split('').map((key, i) => put(`${i}`, key, [['by', key]])),
        put('00', '', [['by', 'a']]),
      );
      assert.equal(await at.adapter.rank('things', 'by', 'a', '0'), 0);
      assert.equal(await at.adapter.rank('things', 'by', 'a', '00'), 1);
      assert.equal(await at.adapter.rank('things', 'by', 'h', '7'), 8);
      assert.equal(await at.adapter.rank('things', 'by', 'h', '0'), undefined);
      assert.equal(await at.adapter.rank('things', 'none', 'h', '7'), undefined);
    });
  });
}
