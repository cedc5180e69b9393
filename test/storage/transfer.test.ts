import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { readDump } from '../../core/storage/dump-file.ts';
import { writeDump } from '../../core/storage/dump-writer.ts';
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

/** Somebody else writes a file of that name while the rows are read. */
async function* lateRival(path: string): AsyncGenerator<DumpRow> {
  yield* each(SHARP);
  await writeFile(path, 'rival');
}

async function collect(rows: AsyncIterable<DumpRow>): Promise<DumpRow[]> {
  const out: DumpRow[] = [];
  for await (const row of rows) out.push(row);
  return out;
}

/** `done`, or the fault with which it was refused. */
function outcome(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'done',
    ({ fault }) => fault,
  );
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

  /** What an import that was killed leaves at the place that was made last. */
  async function leaveUnfinished(kind: string): Promise<void> {
    const name = `t${made - 1}`;
    if (kind === 'lowdb') return writeFile(join(dir, `${name}.import`), '');
    const redis = new Redis(server!.url);
    await redis.hset(`{${name}}:store`, 'importing', 'killed');
    await redis.hset(`{${name}}:d:old`, 'old', '1 0 0 0 {}');
    await redis.zadd(`{${name}}:i:old`, 0, 'old');
    redis.disconnect();
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
      const { state } = await outcomes(adapter, steps, { pass: () => {} });
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
        assert.deepEqual((await outcomes(again, [], { pass: () => {} })).state, state);
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
      assert.deepEqual(await rowsOf(at()), [['store', { commits: 0, floor: 0 }]]);
      await fill(at, SHARP);
      assert.deepEqual(await rowsOf(at()), SHARP);
      await assert.rejects(fill(at, SHARP), { fault: 'conflict' });
      assert.deepEqual(await rowsOf(at()), SHARP);
    });

    it(`${kind} says that an import was killed, until another one has filled it`, async () => {
      const at = place(kind);
      await leaveUnfinished(kind);
      await assert.rejects(rowsOf(at()), { fault: 'corrupt', message: /"mesh import" again, or/ });
      await fill(at, SHARP);
      assert.deepEqual(await rowsOf(at()), SHARP);
    });

    it(`${kind} lets nobody start on a store that is being filled, and no second import mix with it`, async () => {
      const at = place(kind);
      const early = kind === 'redis' ? at() : undefined;
      await early?.open();
      let go = () => {};
      const half = new Promise<void>((reached) => {
        go = reached;
      });
      let resume = () => {};
      const paused = new Promise<void>((resolve) => {
        resume = resolve;
      });
      async function* slowly(): AsyncGenerator<DumpRow> {
        yield* each(SHARP.slice(0, 4));
        go();
        await paused;
        yield* each(SHARP.slice(4));
      }
      const first = at().load!(slowly());
      await half;
      await assert.rejects(rowsOf(at()), { fault: kind === 'redis' ? 'corrupt' : 'locked' });
      if (early) await assert.rejects(early.commit({ checks: [], effects: event(1) }), { fault: 'corrupt' });
      const second = await outcome(at().load!(each(SHARP)));
      resume();
      // A Redis cannot tell a slow import from a dead one: there the later one wins.
      const results = [await outcome(first), second];
      assert.deepEqual(results, kind === 'redis' ? ['conflict', 'done'] : ['done', 'locked']);
      assert.deepEqual(await rowsOf(at()), SHARP);
      await early?.close();
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
      { fault: 'conflict', message: /give another name, or remove it/ },
    );
    await assert.rejects(
      writeDump(join(dir, 'none', 'store.jsonl'), each(SHARP), () => {}),
      { fault: 'unavailable', message: /nothing was exported. Give a file in a folder that is there/ },
    );
    const read = (from: string) => collect(readDump(from, () => {}));
    assert.deepEqual(await read(path), SHARP);
    await assert.rejects(
      writeDump(join(dir, 'half'), each(SHARP, 4), () => {}),
      /the power went/,
    );
    assert.deepEqual(
      (await readdir(dir)).filter((name) => /half|part/.test(name)),
      [],
    );
    // What a killed export leaves is in nobody's way.
    await writeFile(join(dir, 'half.part'), 'x'.repeat(9_000));
    const { sha256 } = await writeDump(join(dir, 'half'), each(SHARP), () => {});
    assert.equal(sha256, moved.sha256);
    assert.deepEqual(await read(join(dir, 'half')), SHARP);
    await assert.rejects(
      writeDump(join(dir, 'late'), lateRival(join(dir, 'late')), () => {}),
      { fault: 'conflict' },
    );
    assert.equal(await readFile(join(dir, 'late'), 'utf8'), 'rival');
    const text = await readFile(path, 'utf8');
    const lines = text.trimEnd().split('\n');
    const body = `${lines.slice(0, -1).join('\n')}\n`;
    const digest = createHash('sha256').update(body).digest('hex');
    const wrong: Record<string, [string, RegExp]> = {
      short: [lines.slice(0, -1).join('\n'), /cut short behind row 9/],
      torn: [text.slice(0, -20), /damaged behind row 9/],
      changed: [text.replace('three', 'treeh'), /checksum/],
      fewer: [`${body}${JSON.stringify(['end', { rows: SHARP.length + 1, sha256: digest }])}\n`, /checksum/],
      longer: [`${text}[]\n`, /goes on/],
      newer: [
        text.replace('"version":1', '"version":2'),
        /version 2; this program reads version 1.*the release that wrote it/,
      ],
      other: ['{"name":"x"}\n', /is not an exported store.*"mesh export" wrote/],
      pretty: ['{\n  "name": "x"\n}\n', /is not an exported store/],
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

  it('say now and then how far they are, an import of how much', async () => {
    const file = join(dir, 'far.jsonl');
    const real = performance.now;
    let now = 0;
    performance.now = () => {
      now += 2_000;
      return now;
    };
    try {
      const exporting = await mesh(['export', file, ...at('a')]);
      assert.equal(exporting.error, 'exported 54 rows, 0.0 MB so far');
      const told: string[] = [];
      const watched = await mesh(
        ['export', join(dir, 'watched.jsonl'), ...at('a')],
        {},
        { progress: (text) => told.push(text) },
      );
      assert.deepEqual([watched.error, told], ['', ['exported 54 rows, 0.0 MB so far', '']]);
      const importing = await mesh(['import', file, ...at('e')]);
      assert.match(importing.error, /^imported 0 rows, 0\.0 MB of 0\.0 MB so far\n/);
      const { error } = await mesh(['import', file, '--json', ...at('f')]);
      const { size } = await stat(file);
      assert.deepEqual(JSON.parse(error.split('\n')[0]!), { rows: 0, bytes: 42, total: size });
    } finally {
      performance.now = real;
    }
  });

  it('say what is missing', async () => {
    assert.equal((await mesh(['export', ...at('a')])).code, 2);
    const missing = await mesh(['import', join(dir, 'nothing.jsonl'), ...at('c')]);
    assert.match(missing.error, /nothing\.jsonl cannot be read: ENOENT.*Give a file that "mesh export" wrote/);
    const folder = await mesh(['import', dir, ...at('c')]);
    assert.match(folder.error, /cannot be read: EISDIR/);
    const empty = await mesh(['export', join(dir, 'empty.jsonl'), ...at('c')]);
    assert.equal(empty.code, 0);
    assert.match(empty.error, /^this store is empty; another one is named by --config or --data-dir$/);
  });

  it('stop when they are asked to, and leave nothing behind', async () => {
    const file = join(dir, 'whole.jsonl');
    assert.equal((await mesh(['export', file, ...at('a')])).code, 0);
    for (const [args, said] of [
      [['export', join(dir, 'stopped.jsonl'), ...at('a')], 'stopped; nothing was exported'],
      [['import', file, ...at('d')], 'stopped; nothing was imported'],
    ] as const) {
      const before = process.listenerCount('SIGHUP');
      const running = mesh(args);
      while (process.listenerCount('SIGHUP') === before) await setImmediate();
      process.emit('SIGHUP');
      const { code, error } = await running;
      assert.deepEqual([code, error], [1, said]);
    }
    assert.deepEqual(
      (await readdir(dir)).filter((name) => /stopped/.test(name)),
      [],
    );
    assert.deepEqual(await readdir(join(dir, 'd')), ['store']);
    assert.equal((await mesh(['import', file, ...at('d')])).code, 0);
  });
});
