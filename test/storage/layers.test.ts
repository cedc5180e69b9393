import assert from 'node:assert/strict';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { Bloom, hashKey } from '../../adapters/storage-lowdb/layers/bloom.ts';
import { numberBytes, numberFrom, toBytes } from '../../adapters/storage-lowdb/layers/texts.ts';
import { LogTail } from '../../adapters/storage-lowdb/log-tail.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import type { Effect, RangeQuery, StorageAdapter } from '../../core/storage/adapter.ts';
import { compareText } from '../../core/storage/ordered-entries.ts';
import { StoreDirectory } from './directory.ts';

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let x = seed;
  return (below) => {
    x = (Math.imul(x, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((x / 2 ** 32) * below);
  };
}

describe('layers in files', function () {
  this.timeout(60_000);
  let store: StoreDirectory;
  let now = 1_000_000;
  beforeEach(async () => {
    store = await StoreDirectory.make();
    now = 1_000_000;
  });
  afterEach(() => store.remove());

  const clock = { now: () => now };
  const openSmall = async () => {
    const sizes = { checkpointBytes: 60_000, segmentRecords: 50, hotRecords: 10, cacheBytes: 100_000 };
    const adapter = lowdbStorage({ dir: store.path, clock, ...sizes });
    await adapter.open();
    return adapter;
  };

  function effect(next: (below: number) => number): Effect {
    const id = `document ${next(3_000)}`;
    if (next(6) === 0) return { kind: 'delete', collection: 'c', id };
    const entries = [{ index: 'rank', key: `k${String(next(400)).padStart(3, '0')}` }];
    if (next(3) === 0) entries.push({ index: 'name', key: `n${next(50)}` });
    const expires = next(5) === 0 ? { expires: now + next(4_000) } : {};
    return { kind: 'put', collection: 'c', id, value: `${next(1_000)}`.repeat(40), entries, ...expires };
  }

  async function agree(one: StorageAdapter, other: StorageAdapter, next: (below: number) => number): Promise<void> {
    for (const index of [undefined, 'rank', 'name']) {
      assert.equal(await one.count('c', index), await other.count('c', index));
      const [first] = await other.range({ collection: 'c', ...(index && { index }), limit: 1, offset: next(500) });
      const queries: Partial<RangeQuery>[] = [
        { offset: next(2_500) },
        { offset: next(2_500), reverse: true },
        { reverse: true },
        ...(first ? [{ after: first }, { after: first, reverse: true, offset: next(90) }] : []),
        { from: `k${next(4)}`, to: `k${next(4)}5`, offset: next(300), reverse: next(2) === 0 },
        { from: `n${next(5)}`, to: `n${next(50)}` },
      ];
      for (const query of queries) {
        const asked = { collection: 'c', ...(index && { index }), limit: 1 + next(60), ...query };
        assert.deepEqual(await one.range(asked), await other.range(asked), JSON.stringify(asked));
      }
      if (!first || !index) continue;
      assert.equal(await one.rank('c', index, first.key, first.id), await other.rank('c', index, first.key, first.id));
      assert.equal(await one.rank('c', index, first.key, 'nobody'), undefined);
    }
    const refs = Array.from({ length: 50 }, () => ({ collection: 'c', id: `document ${next(3_200)}` }));
    const rowsOf = async (adapter: StorageAdapter) =>
      (await adapter.read(refs)).map((row) => row && { value: row.value, version: row.version });
    assert.deepEqual(await rowsOf(one), await rowsOf(other));
  }

  it('show what a store in memory shows, while they are written, merged and opened again', async () => {
    const next = numbers(11);
    const memory = memoryStorage({ clock });
    let lowdb = await openSmall();
    let layers = 0;
    for (let round = 0; round < 24; round++) {
      for (let n = 0; n < 10; n++) {
        const effects = Array.from({ length: 30 }, () => effect(next));
        assert.deepEqual(await lowdb.commit({ checks: [], effects }), await memory.commit({ checks: [], effects }));
      }
      now += next(400);
      await agree(lowdb, memory, next);
      layers = Math.max(layers, (await store.files(/^layer-\d+$/)).length);
      if (round % 8 !== 7) continue;
      await lowdb.close();
      lowdb = await openSmall();
    }
    assert.ok(layers > 1);
    await lowdb.close();
  });

  it('answer every read of one moment while they are exchanged', async () => {
    const lowdb = await openSmall();
    const pair = (n: number): Effect[] =>
      ['a', 'b'].map((id) => ({ kind: 'put', collection: 'pair', id, value: `${n}`, entries: [] }));
    const filling = (n: number): Effect => ({
      kind: 'put',
      collection: 'filling',
      id: `${n}`,
      value: 'x'.repeat(2_000),
      entries: [],
    });
    let writing = true;
    const reader = (async () => {
      let reads = 0;
      for (; writing; reads++) {
        const [a, b] = await lowdb.read([
          { collection: 'pair', id: 'a' },
          { collection: 'pair', id: 'b' },
        ]);
        assert.equal(a?.value, b?.value);
        const page = await lowdb.range({ collection: 'filling', limit: 2_000 });
        assert.equal(page.length, new Set(page.map(({ id }) => id)).size);
        await new Promise(setImmediate);
      }
      return reads;
    })();
    for (let n = 0; n < 600; n++) await lowdb.commit({ checks: [], effects: [...pair(n), filling(n)] });
    writing = false;
    assert.ok((await reader) > 10);
    assert.equal(await lowdb.count('filling'), 600);
    await lowdb.close();
  });
});

describe('what layers are made of', () => {
  it('texts and numbers sort as bytes', () => {
    const texts = ['', 'a', 'ab', 'b', 'é', '\u{fffd}', '🦊', 'a\u{10ffff}', '__proto__'];
    const bytewise = (a: string, b: string) => (toBytes(a) < toBytes(b) ? -1 : 1);
    assert.deepEqual([...texts].sort(bytewise), [...texts].sort(compareText));
    const values = [-1e300, -2.5, -0, 0.1, 1, 1_700_000_000_000.5, Number.POSITIVE_INFINITY];
    assert.deepEqual(values.map(numberBytes).sort().map(numberFrom), [-1e300, -2.5, 0, ...values.slice(3)]);
  });

  it('a filter knows every key it was given, and few others', () => {
    const filter = Bloom.for(5_000);
    for (let n = 0; n < 5_000; n++) filter.add(hashKey(`key ${n}`));
    let wrong = 0;
    for (let n = 0; n < 5_000; n++) {
      assert.ok(filter.mayHold(hashKey(`key ${n}`)));
      if (filter.mayHold(hashKey(`other ${n}`))) wrong++;
    }
    assert.ok(wrong < 150, `${wrong} of 5000`);
  });

  it('the ids of a log leave gaps out, and count as they did', () => {
    const log = new LogTail();
    const append = (id: number) => log.append(id, { value: `${id}`, postings: [] });
    for (const id of [1, 2, 3]) append(id);
    log.skip(1_000_000);
    for (const id of [1_000_000, 1_000_001]) append(id);
    log.skip(2_000_000);
    append(2_000_000);
    const all = [1, 2, 3, 1_000_000, 1_000_001, 2_000_000];
    assert.deepEqual(log.select({ after: 0, limit: 10 }), all);
    assert.deepEqual(log.select({ limit: 10 }), [...all].reverse());
    assert.deepEqual(log.select({ before: 1_000_001, limit: 2 }), [1_000_000, 3]);
    assert.deepEqual(log.select({ after: 3, limit: 1 }), [1_000_000]);
    for (const id of all) assert.equal(log.record(id)?.value, `${id}`);
    log.cool(1_000_000);
    assert.equal(log.record(3), undefined);
    assert.equal(log.record(2_000_000)?.value, '2000000');
    log.trim(1_000_000);
    assert.deepEqual(log.select({ after: 0, limit: 10 }), [1_000_001, 2_000_000]);
    assert.ok(log.holdsAbove(1_000_001) && !log.holdsAbove(2_000_000));
  });
});
