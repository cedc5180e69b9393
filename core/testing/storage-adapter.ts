import assert from 'node:assert/strict';
import { type CommitResult, type Effect, MAX_PAGE } from '../storage/adapter.ts';
import { bench, type CreateStorage, type Runner } from './storage-contract.ts';

/** Names that trip over separators, patterns, prototypes and length. */
export const SHARP_IDS = [
  '*',
  '?',
  '[a]',
  'a:b',
  'a',
  'ab',
  '..',
  '/',
  '\\',
  '%',
  '%00',
  '{a}',
  ' ',
  '\n',
  '__proto__',
  'constructor',
  'toString',
  '0',
  'é',
  '🦊',
  '\u{fffd}',
  'x'.repeat(4_000),
];

const VALUES = [
  '',
  '[]',
  '{}',
  '0',
  '9007199254740993',
  '"\\u0000"',
  'a\0b',
  'line\nbreak',
  '🦊',
  '{"__proto__":1}',
  'x'.repeat(200_000),
];

/** The ids that a commit gave. */
export function idsOf(result: CommitResult): readonly number[] {
  assert.ok(result.ok, 'the commit was refused');
  return result.ids;
}

export function put(id: string, value = '{}', entries: [string, string][] = [], expires?: number): Effect {
  const pairs = entries.map(([index, key]) => ({ index, key }));
  return { kind: 'put', collection: 'things', id, value, entries: pairs, ...(expires !== undefined && { expires }) };
}

export function append(log: string, value: string, postings: string[] = []): Effect {
  return { kind: 'append', log, value, postings };
}

export function adapterContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('documents, logs, counters, commits', () => {
    const at = bench(create, runner);
    const thing = (id: string) => ({ collection: 'things', id });
    const commit = (...effects: Effect[]) => at.adapter.commit({ checks: [], effects });
    const read = async (id: string) => (await at.adapter.read([thing(id)]))[0];

    it('knows nothing of what was never written', async () => {
      assert.deepEqual(await at.adapter.read([thing('none')]), [undefined]);
      assert.deepEqual(await at.adapter.range({ collection: 'things', limit: 10 }), []);
      assert.deepEqual(await at.adapter.range({ collection: 'things', index: 'by', limit: 10 }), []);
      assert.deepEqual(await at.adapter.page({ log: 'events', limit: 10 }), []);
      assert.deepEqual(await at.adapter.counters(['none']), [0n]);
      assert.equal(await at.adapter.count('things'), 0);
      assert.equal(await at.adapter.rank('things', 'by', 'k', 'none'), undefined);
    });

    it('gives back the exact text', async () => {
      await commit(...VALUES.map((value, i) => put(`${i}`, value)), ...VALUES.map((value) => append('events', value)));
      const rows = await at.adapter.read(VALUES.map((_, i) => thing(`${i}`)));
      assert.deepEqual(
        rows.map((row) => row?.value),
        VALUES,
      );
      const page = await at.adapter.page({ log: 'events', after: 0, limit: 50 });
      assert.deepEqual(
        page.map((row) => row.value),
        VALUES,
      );
    });

    it('keeps sharp names apart', async () => {
      for (const id of SHARP_IDS) {
        await commit(
          { kind: 'put', collection: id, id, value: id, entries: [{ index: id, key: 'k' }] },
          append(id, id, [id]),
          { kind: 'add', counter: id, amount: BigInt(id.length) },
        );
      }
      for (const id of SHARP_IDS) {
        assert.equal((await at.adapter.read([{ collection: id, id }]))[0]?.value, id);
        const ranged = await at.adapter.range({ collection: id, index: id, limit: 10 });
        assert.deepEqual(
          ranged.map((row) => row.id),
          [id],
        );
        assert.deepEqual(await at.adapter.page({ log: id, posting: id, limit: 10 }), [{ id: 1, value: id }]);
        assert.deepEqual(await at.adapter.counters([id]), [BigInt(id.length)]);
        assert.equal(await at.adapter.count(id), 1);
      }
    });

    it('gives versions that rise and never return, and says them', async () => {
      const seen: number[] = [];
      for (const effect of [put('a'), put('a'), put('b')]) {
        const result = await commit(append('events', 'x'), effect);
        const { version } = (await read(effect.kind === 'put' ? effect.id : ''))!;
        assert.ok(result.ok && result.version === version);
        seen.push(version);
      }
      await commit({ kind: 'delete', collection: 'things', id: 'a' });
      assert.equal(await read('a'), undefined);
      await commit(put('a'));
      seen.push((await read('a'))!.version);
      assert.ok(
        seen.every((version, i) => version > (seen[i - 1] ?? 0)),
        seen.join(),
      );
    });

    it('changes nothing when one check fails, and names what is stale', async () => {
      const before = await commit(put('a', 'old'), put('b', 'old'));
      const stale = await at.adapter.commit({
        checks: [
          { ...thing('a'), version: (await read('a'))!.version },
          { ...thing('b'), version: 999 },
          { ...thing('c'), version: 1 },
        ],
        effects: [put('a', 'new'), append('events', 'x'), { kind: 'add', counter: 'n', amount: 1n }],
      });
      assert.deepEqual(stale, { ok: false, stale: [thing('b'), thing('c')] });
      assert.equal((await read('a'))?.value, 'old');
      assert.deepEqual(await at.adapter.page({ log: 'events', limit: 1 }), []);
      assert.deepEqual(await at.adapter.counters(['n']), [0n]);
      const after = await commit(append('events', 'y'));
      assert.deepEqual(idsOf(after), [1]);
      // By the gap others can tell that somebody else is here.
      assert.ok(before.ok && after.ok && after.version === before.version + 2);
    });

    it('lets one of 50 racers win', async () => {
      const racers = Array.from({ length: 50 }, (_, i) =>
        at.adapter.commit({ checks: [{ ...thing('prize'), version: 0 }], effects: [put('prize', `${i}`)] }),
      );
      const results = await Promise.all(racers);
      assert.equal(results.filter((result) => result.ok).length, 1);
      assert.equal((await read('prize'))?.value, `${results.findIndex((result) => result.ok)}`);
    });

    it('numbers appended records 1, 2, 3 … per log, in the order of the effects', async () => {
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => commit(append('a', `${i}`), append('b', `${i}`), append('a', `${i}`))),
      );
      const ids = results.map((result) => (result.ok ? result.ids : []));
      assert.deepEqual(
        ids.flatMap(([x, , y]) => [x!, y!]).sort((x, y) => x - y),
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
      assert.ok(ids.every(([x, , y]) => x! + 1 === y));
      const page = await at.adapter.page({ log: 'a', after: 0, limit: 200 });
      for (const [i, [x, , y]] of ids.entries()) {
        assert.equal(page[x! - 1]?.value, `${i}`);
        assert.equal(page[y! - 1]?.value, `${i}`);
      }
    });

    it('pages a log and its postings both ways, bounds excluded', async () => {
      await commit(
        ...Array.from({ length: 30 }, (_, i) => append('events', `${i + 1}`, [i % 3 ? 'rest' : 'third', 'all'])),
      );
      const ids = async (query: object) =>
        (await at.adapter.page({ log: 'events', limit: 4, ...query })).map((row) => row.id);
      const third = { posting: 'third' };
      for (const [query, expected] of [
        [{}, [30, 29, 28, 27]],
        [{ before: 3 }, [2, 1]],
        [{ before: 1 }, []],
        [{ before: 1_000 }, [30, 29, 28, 27]],
        [{ after: 0 }, [1, 2, 3, 4]],
        [{ after: 28 }, [29, 30]],
        [{ after: 30 }, []],
        [{ before: 10, after: 7 }, [9, 8]],
        [third, [28, 25, 22, 19]],
        [{ ...third, before: 7 }, [4, 1]],
        [{ ...third, before: 8 }, [7, 4, 1]],
        [{ ...third, after: 22 }, [25, 28]],
        [{ ...third, after: 0, before: 5 }, [4, 1]],
        [{ posting: 'none' }, []],
      ] as const) {
        assert.deepEqual(await ids(query), expected, JSON.stringify(query));
      }
    });

    it('forgets trimmed records and never gives their ids again', async () => {
      await commit(...Array.from({ length: 10 }, (_, i) => append('events', `${i}`, ['p'])));
      await commit({ kind: 'trim', log: 'events', upTo: 7 }, { kind: 'trim', log: 'none', upTo: 5 });
      for (const query of [{ after: 0 }, { after: 0, posting: 'p' }]) {
        const page = await at.adapter.page({ log: 'events', limit: 50, ...query });
        assert.deepEqual(
          page.map((row) => row.id),
          [8, 9, 10],
        );
      }
      await commit({ kind: 'trim', log: 'events', upTo: 1_000 });
      assert.deepEqual(await at.adapter.page({ log: 'events', limit: 50 }), []);
      assert.deepEqual(idsOf(await commit(append('events', 'x'))), [11]);
    });

    it('adds exactly, also beyond 2^53 and below zero', async () => {
      const amounts = [1n, -5n, 2n ** 62n, 3n];
      await Promise.all(
        Array.from({ length: 200 }, (_, i) => commit({ kind: 'add', counter: 'n', amount: amounts[i % 4]! })),
      );
      assert.deepEqual(await at.adapter.counters(['n', 'm']), [50n * (2n ** 62n - 1n), 0n]);
      // One more and one less than whole rows of nines, where every digit changes.
      for (const digits of [14n, 18n, 19n, 28n, 42n]) {
        const counter = `${digits}`;
        const nines = 10n ** digits - 1n;
        for (const [amount, sum] of [
          [nines, nines],
          [1n, nines + 1n],
          [-1n, nines],
          [-2n * nines, -nines],
          [-1n, -nines - 1n],
          [nines + 2n, 1n],
        ] as const) {
          await commit({ kind: 'add', counter, amount });
          assert.deepEqual(await at.adapter.counters([counter]), [sum]);
        }
      }
    });

    it('refuses pages that are too large or none', async () => {
      for (const limit of [0, -1, 1.5, Number.NaN, MAX_PAGE + 1]) {
        await assert.rejects(at.adapter.range({ collection: 'things', limit }), RangeError);
        await assert.rejects(at.adapter.page({ log: 'events', limit }), RangeError);
      }
      await assert.rejects(at.adapter.range({ collection: 'things', limit: 1, offset: 100_001 }), RangeError);
    });
  });
}
