import assert from 'node:assert/strict';
import { appendLog, collection, ranking } from '../storage/declarations.ts';
import type { Logged, Ranked } from '../storage/pages.ts';
import type { Space } from '../storage/space.ts';
import { bench, type CreateStorage, type Runner } from './storage-contract.ts';
import { mulberry32 } from './storage-model.ts';
import { anything, spaceOn } from './storage-store.ts';

const events = appendLog<{ n: number }>('events', {
  schema: anything,
  postings: ({ n }) => (n % 7 ? [] : ['seventh']),
});
const board = ranking('board');
const deals = collection<{ state: string; at: number; parties: string[] }, 'by_state' | 'by_party'>('deals', {
  schema: anything,
  indexes: {
    by_state: (deal) => (deal.state === 'draft' ? undefined : [deal.state, deal.at]),
    by_party: (deal) => deal.parties.map((party) => [party, deal.at]),
  },
});

async function appendMany(space: Space, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 100) {
    await space.tx([], (tx) => {
      for (let i = n; i < Math.min(n + 100, to + 1); i++) tx.append(events, { n: i });
    });
  }
}

async function collect<T>(rows: AsyncIterable<Logged<T>>, count: number): Promise<Logged<T>[]> {
  const out: Logged<T>[] = [];
  for await (const row of rows) if (out.push(row) === count) break;
  return out;
}

export function pageContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('tails, pages, rankings', () => {
    const at = bench(create, runner);

    it('a tail shows each record once, in order, once it can be read, under 64 writers (C3)', async () => {
      const space = spaceOn(at);
      const [early, late] = [new AbortController(), new AbortController()];
      const tails = [
        collect(space.tail(events, 0, early.signal), 1_280),
        collect(space.tail(events, 100, late.signal), 1_180),
      ];
      const seenBeforeAcknowledged: number[] = [];
      async function write(task: number) {
        for (let i = 0; i < 20; i++) {
          const id = await space.append(events, { n: task });
          const [row] = await space.page(events, { before: id + 1, limit: 1 });
          if (row?.id !== id) seenBeforeAcknowledged.push(id);
        }
      }
      await Promise.all(Array.from({ length: 64 }, (_, task) => write(task)));
      const [all, some] = await Promise.all(tails);
      assert.deepEqual(
        all!.map(({ id }) => id),
        Array.from({ length: 1_280 }, (_, i) => i + 1),
      );
      assert.deepEqual(some, all!.slice(100));
      assert.deepEqual(seenBeforeAcknowledged, []);
    });

    it('a tail ends when it is aborted and when the store is closed', async () => {
      const space = spaceOn(at);
      await appendMany(space, 1, 5);
      const stop = new AbortController();
      const seen: number[] = [];
      for await (const { id } of space.tail(events, 0, stop.signal)) if (seen.push(id) === 3) stop.abort();
      assert.deepEqual(seen, [1, 2, 3]);
      const waiting = collect(space.tail(events, 5, new AbortController().signal), 1);
      await at.adapter.close();
      assert.deepEqual(await waiting, []);
    });

    it('pages by `before` are without gap or repetition while others append (C4)', async () => {
      const space = spaceOn(at);
      await appendMany(space, 1, 1_000);
      const appending = appendMany(space, 1_001, 2_000);
      const seen: number[] = [];
      let before: number | undefined;
      for (;;) {
        const page = await space.page(events, { before, limit: 7 });
        if (page.length === 0) break;
        for (const { id, record } of page) assert.equal(record.n, id);
        seen.push(...page.map(({ id }) => id));
        before = seen.at(-1);
      }
      await appending;
      assert.deepEqual(
        seen,
        Array.from({ length: seen[0]! }, (_, i) => seen[0]! - i),
      );
      assert.ok(seen[0]! >= 1_000);
    });

    it('pages and postings agree at every border, hot or cold, also after opening again', async () => {
      await appendMany(spaceOn(at), 1, 500);
      for (const again of [false, true]) {
        if (again && at.reopen) await at.reopen();
        const space = spaceOn(at);
        for (let border = 1; border <= 501; border++) {
          const page = await space.page(events, { before: border, limit: 3 });
          assert.deepEqual(
            page.map(({ record }) => record.n),
            [border - 1, border - 2, border - 3].filter((n) => n > 0),
          );
          const seventh = await space.page(events, { after: border - 1, posting: 'seventh', limit: 2 });
          const first = Math.ceil(border / 7) * 7;
          assert.deepEqual(
            seventh.map(({ id }) => id),
            [first, first + 7].filter((n) => n <= 500),
          );
        }
      }
    });

    it('finds documents by index, by part of an index, by several keys, and by id', async () => {
      const space = spaceOn(at);
      const deal = (state: string, when: number, ...parties: string[]) => ({ state, at: when, parties });
      await space.tx([], (tx) => {
        tx.put(deals.ref('a:1'), deal('open', 3, 'ann', 'bob'));
        tx.put(deals.ref('a:2'), deal('open', -1.5, 'bob'));
        tx.put(deals.ref('b:1'), deal('settled', 2, 'bobby'));
        tx.put(deals.ref('b:2'), deal('draft', 9));
      });
      const ids = async (query: Parameters<typeof space.page<any, 'by_state' | 'by_party'>>[1]) =>
        (await space.page(deals, query)).map(({ id }) => id).join(' ');
      assert.equal(await ids({ index: 'by_state', prefix: ['open'] }), 'a:2 a:1');
      assert.equal(await ids({ index: 'by_state', prefix: ['open'], from: [0] }), 'a:1');
      assert.equal(await ids({ index: 'by_state', reverse: true }), 'b:1 a:1 a:2');
      assert.equal(await ids({ index: 'by_party', prefix: ['bob'] }), 'a:2 a:1');
      assert.equal(await ids({ index: 'by_party', startsWith: 'bob' }), 'a:2 a:1 b:1');
      assert.equal(await ids({ idPrefix: 'b:' }), 'b:1 b:2');
      assert.equal(await ids({ limit: 2, offset: 1 }), 'a:2 b:1');
      const [first] = await space.page(deals, { index: 'by_state', limit: 1 });
      assert.equal(await ids({ index: 'by_state', after: first }), 'a:1 b:1');
      assert.equal(await space.count(deals, 'by_state'), 3);
      await space.tx([deals.ref('a:1')], (tx) =>
        tx.put(deals.ref('a:1'), { ...tx.get(deals.ref('a:1'))!, state: 'settled' }),
      );
      assert.equal(await ids({ index: 'by_state', prefix: ['settled'] }), 'b:1 a:1');
    });

    it('ranks as sorting everything would, through random updates (C5)', async () => {
      const space = spaceOn(at);
      const random = mulberry32(5);
      const scores = new Map<string, number>();
      for (let round = 0; round < 50; round++) {
        const updates = Array.from({ length: 100 }, () => {
          const score = random() < 0.1 ? null : Math.round((random() - 0.5) * 40) / 4 + 0;
          return [`m${Math.floor(random() * 400)}`, score] as const;
        });
        await space.tx([], (tx) => {
          for (const [member, score] of updates) tx.rank(board, member, score);
        });
        for (const [member, score] of updates) score === null ? scores.delete(member) : scores.set(member, score);
      }
      const sorted: Ranked[] = [...scores].map(([member, score]) => ({ member, score }));
      sorted.sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(a.member), Buffer.from(b.member)));
      assert.deepEqual(await space.page(board, { limit: 1_000 }), sorted);
      assert.deepEqual(await space.page(board, { limit: 1_000, reverse: true }), sorted.toReversed());
      assert.deepEqual(await space.page(board, { offset: 100, limit: 30 }), sorted.slice(100, 130));
      assert.deepEqual(await space.page(board, { offset: 10_000 }), []);
      assert.equal(await space.count(board), sorted.length);
      for (let place = 0; place < sorted.length; place += 17) {
        assert.equal(await space.rankOf(board, sorted[place]!.member), place + 1);
        assert.deepEqual(
          await space.page(board, { after: sorted[place], limit: 5 }),
          sorted.slice(place + 1, place + 6),
        );
      }
      assert.equal(await space.rankOf(board, 'nobody'), undefined);
      assert.deepEqual(await space.get(board.ref(sorted[0]!.member)), sorted[0]!.score);
    });
  });
}
