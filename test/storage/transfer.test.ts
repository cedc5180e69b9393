import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { readDump, writeDump } from '../../core/storage/dump-file.ts';
import { START } from '../../core/testing/storage-contract.ts';
import { mesh } from '../cli/terminal.ts';
import { commands, outcomes } from '../contract/storage-commands.ts';
import { findRedis, RedisServer } from '../support/redis-server.ts';
import { event, writeEvents } from './directory.ts';

const clock = { now: () => START };
/** What no run of one adapter alone brings: gaps in ids, a floor, a log whose records are all forgotten. */
const SHARP: readonly DumpRow[] = [
  ['store', { commits: 77, floor: 5_000 }],
  ['document', 'c', '__proto__', 71, '', [], null],
  [
    'document',
    'c',
    'a:b',
    70,
    '"🦊"',
    [
      ['i', 'k'],
      ['i', 'k2'],
    ],
    START + 10_000,
  ],
  ['log', 'empty', { next: 5_001, trimmed: 40 }],
  ['log', 'gaps', { next: 4_294_967_300, trimmed: 1 }],
  ['record', 'gaps', 2, 'two', ['p', 'q']],
  ['record', 'gaps', 3, 'three', []],
  ['record', 'gaps', 4_294_967_299, 'far', ['p']],
  ['total', 'sum', '-123456789012345678901234567890'],
];

async function* each(rows: readonly DumpRow[], failAt = Number.POSITIVE_INFINITY): AsyncGenerator<DumpRow> {
  for (const [i, row] of rows.entries()) {
    if (i === failAt) throw new Error('the power went');
    yield row;
  }
}

async function collect(rows: AsyncIterable<DumpRow>): Promise<DumpRow[]> {
  const out: DumpRow[] = [];
  for await (const row of rows) out.push(row);
  return out;
}

async function rowsOf(adapter: StorageAdapter): Promise<DumpRow[]> {
  await adapter.open();
  try {
    return await collect(adapter.dump!());
  } finally {
    await adapter.close();
  }
}

const KINDS = ['lowdb', ...(findRedis() ? ['redis'] : [])];

describe('moving a store (C14)', function () {
  this.timeout(120_000);
  let dir: string;
  let server: RedisServer | undefined;
  let made = 0;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-transfer-'));
    if (findRedis()) server = await RedisServer.start();
  });
  after(async () => {
    await server?.stop();
    await rm(dir, { recursive: true });
  });

  /** A place for a store; each call gives another adapter on it. */
  function place(kind: string): () => StorageAdapter {
    const name = `t${made++}`;
    const sizes = { checkpointBytes: 3_000, segmentRecords: 8, hotRecords: 4 };
    return () =>
      kind === 'lowdb'
        ? lowdbStorage({ dir: join(dir, name), clock, ...sizes })
        : redisStorage({ url: server!.url, prefix: name, clock });
  }

  async function fill(at: () => StorageAdapter, rows: readonly DumpRow[]): Promise<void> {
    await at().load!(each(rows));
  }

  it('needs a redis-server on the PATH for one of its two sides', function () {
    if (!server) this.skip();
    assert.deepEqual(KINDS, ['lowdb', 'redis']);
  });

  it('there and back again is the same state, whatever was done before', async () => {
    const property = fc.asyncProperty(commands(START), async (steps) => {
      const first = place(KINDS[0]!);
      const adapter = first();
      await adapter.open();
      const { state } = await outcomes(adapter, steps, () => {});
      await adapter.close();
      const rows = await rowsOf(first());
      for (const kind of KINDS) {
        const second = place(kind);
        await fill(second, rows);
        assert.deepEqual(await rowsOf(second()), rows, kind);
        const third = place('lowdb');
        await fill(third, await rowsOf(second()));
        const again = third();
        await again.open();
        assert.deepEqual((await outcomes(again, [], () => {})).state, state);
        await again.close();
      }
    });
    await fc.assert(property, { seed: 7, numRuns: 25 });
  });

  for (const kind of KINDS) {
    it(`${kind} keeps gaps, floors and expiry, and never gives an id or a version again`, async () => {
      const at = place(kind);
      await fill(at, SHARP);
      assert.deepEqual(await rowsOf(at()), SHARP);
      const adapter = at();
      await adapter.open();
      const append = (log: string) => ({ kind: 'append', log, value: 'v', postings: ['p'] }) as const;
      const put = { kind: 'put', collection: 'c', id: 'n', value: '1', entries: [] } as const;
      const result = await adapter.commit({
        checks: [],
        effects: [append('gaps'), append('empty'), append('new'), put],
      });
      assert.deepEqual(result, { ok: true, ids: [4_294_967_300, 5_001, 5_001], version: 78 });
      assert.deepEqual(await adapter.read([{ collection: 'c', id: 'n' }]), [{ value: '1', version: 78 }]);
      const ids = async (query: object) =>
        (await adapter.page({ log: 'gaps', limit: 9, ...query })).map(({ id }) => id);
      assert.deepEqual(await ids({ after: 0 }), [2, 3, 4_294_967_299, 4_294_967_300]);
      assert.deepEqual(await ids({ posting: 'p' }), [4_294_967_300, 4_294_967_299, 2]);
      assert.deepEqual(await ids({ before: 4_294_967_299 }), [3, 2]);
      await adapter.close();
      const moved = place(kind);
      await fill(moved, await rowsOf(at()));
      assert.deepEqual(await rowsOf(moved()), await rowsOf(at()));
    });

    it(`${kind} is filled whole or not at all, and can be filled after a failure`, async () => {
      const at = place(kind);
      await assert.rejects(at().load!(each(SHARP, 6)), /the power went/);
      if (kind === 'redis') await assert.rejects(rowsOf(at()), { fault: 'corrupt', message: /import.*again/ });
      else assert.equal((await rowsOf(at())).length, 1);
      await fill(at, SHARP);
      assert.deepEqual(await rowsOf(at()), SHARP);
      await assert.rejects(fill(at, SHARP), { fault: 'conflict' });
      assert.deepEqual(await rowsOf(at()), SHARP);
    });

    it(`${kind} says so when somebody writes while it is exported`, async () => {
      const at = place(kind);
      await fill(at, SHARP);
      const adapter = at();
      await adapter.open();
      await writeEvents(adapter, 1, 3);
      const reading = async () => {
        for await (const row of adapter.dump!()) {
          if (row[0] === 'store') await adapter.commit({ checks: [], effects: event(4) });
        }
      };
      await assert.rejects(reading, { fault: 'conflict' });
      await adapter.close();
    });
  }

  it('a file is written whole, never over another one, and read only when it is undamaged', async () => {
    const path = join(dir, 'store.jsonl');
    const moved = await writeDump(path, each(SHARP), () => {});
    assert.equal(moved.rows, SHARP.length);
    await assert.rejects(
      writeDump(path, each(SHARP), () => {}),
      { code: 'EEXIST' },
    );
    const read = (from: string) => collect(readDump(from, () => {}));
    assert.deepEqual(await read(path), SHARP);
    await assert.rejects(
      writeDump(join(dir, 'half'), each(SHARP, 4), () => {}),
      /the power went/,
    );
    assert.deepEqual(
      (await readdir(dir)).filter((name) => /half/.test(name)),
      [],
    );
    const text = await readFile(path, 'utf8');
    const lines = text.trimEnd().split('\n');
    const wrong: Record<string, [string, RegExp]> = {
      short: [lines.slice(0, -1).join('\n'), /cut short behind row 9/],
      torn: [text.slice(0, -20), /damaged behind row 9/],
      changed: [text.replace('three', 'treeh'), /checksum/],
      longer: [`${text}[]\n`, /goes on/],
      newer: [text.replace('"version":1', '"version":2'), /version 2; this program reads version 1/],
      other: ['{"name":"x"}\n', /no exported store|not an exported store/],
      nothing: ['', /cut short/],
    };
    for (const [name, [content, expected]] of Object.entries(wrong)) {
      await writeFile(join(dir, name), content);
      await assert.rejects(read(join(dir, name)), { fault: 'corrupt', message: expected }, name);
    }
  });
});

describe('mesh export and mesh import', function () {
  this.timeout(60_000);
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-export-'));
    const adapter = lowdbStorage({ dir: join(dir, 'a/store'), clock: { now: Date.now } });
    await adapter.open();
    await writeEvents(adapter, 1, 50);
    await adapter.close();
  });
  after(() => rm(dir, { recursive: true }));
  const at = (name: string) => ['--data-dir', join(dir, name)];

  it('move a store, for people and for programs, and refuse a store that is in use or not empty', async () => {
    const file = join(dir, 'a.jsonl');
    const first = await mesh(['export', file, ...at('a')]);
    assert.equal(first.code, 0, first.error);
    assert.match(first.out, /^exported 54 rows, 0\.0 MB, storage lowdb, SHA-256 [0-9a-f]{64}$/);
    const second = await mesh(['import', file, '--json', ...at('b')]);
    assert.equal(second.code, 0, second.out);
    const { ok, rows, sha256 } = JSON.parse(second.out);
    assert.deepEqual([ok, rows, first.out.endsWith(sha256)], [true, 54, true]);
    const back = JSON.parse((await mesh(['export', join(dir, 'b.jsonl'), '--json', ...at('b')])).out);
    assert.equal(back.sha256, sha256);
    const again = await mesh(['import', file, '--json', ...at('b')]);
    assert.equal(again.code, 1);
    assert.equal(JSON.parse(again.out).fault, 'conflict');
    const holder = lowdbStorage({ dir: join(dir, 'a/store'), clock: { now: Date.now } });
    await holder.open();
    const held = await mesh(['export', join(dir, 'held.jsonl'), ...at('a')]);
    await holder.close();
    assert.equal(held.code, 1);
    assert.match(held.error, /uses this store/);
  });

  it('say what is missing', async () => {
    assert.equal((await mesh(['export', ...at('a')])).code, 2);
    assert.match((await mesh(['import', join(dir, 'nothing.jsonl'), ...at('c')])).error, /ENOENT/);
  });
});
