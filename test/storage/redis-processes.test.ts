import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../core/platform/system-clock.ts';
import { type Bundled, bundled } from '../support/bundled.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { entries, openRedis, sum, tasks, writeOnce } from './redis-store.ts';
import { claims } from './redis-worker.ts';

const PROCESSES = 4;
const ROUNDS = 160;

describeRedis('several processes on one Redis', function () {
  this.timeout(120_000);
  let server: RedisServer;
  let worker: Bundled;
  before(async () => {
    worker = await bundled('test/storage/redis-worker.ts');
  });
  after(() => worker.remove());
  beforeEach(async () => {
    server = await RedisServer.start();
  });
  afterEach(() => server.stop());

  async function run(name: string): Promise<{ seen: number[]; won: number }> {
    const operands = [server.url, name, `${ROUNDS}`, `${PROCESSES * ROUNDS}`];
    const child = spawn(process.execPath, [worker.path, ...operands], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, MESH_TEST_WORKER: '1' },
    });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0);
    return JSON.parse(out);
  }

  it('increments are exact, a claim is won once, every tail shows everything once and in order (C2, C3, C6)', async () => {
    const results = await Promise.all(Array.from({ length: PROCESSES }, (_, i) => run(`p${i}`)));
    const store = await openRedis({ url: server.url, prefix: 'shared' });
    const space = store.space('core');
    const total = PROCESSES * ROUNDS;
    assert.deepEqual(await space.get(tasks.ref('shared')), { count: total });
    for (let i = 0; i < PROCESSES; i++) assert.deepEqual(await space.get(tasks.ref(`p${i}`)), { count: ROUNDS });
    assert.equal(await space.total(sum), BigInt(2 * total));
    const all = Array.from({ length: total }, (_, i) => i + 1);
    for (const { seen } of results) assert.deepEqual(seen, all);
    assert.equal(
      results.map(({ won }) => won).reduce((a, b) => a + b),
      ROUNDS,
    );
    assert.equal((await space.page(claims, { limit: 1_000 })).length, ROUNDS);
    await store.close();
  });

  it('a slow tail holds nobody up, and a fast one is told within a moment (F9)', async () => {
    const [writer, reader] = await Promise.all(['a', 'b'].map(() => openRedis({ url: server.url, prefix: 'shared' })));
    const stop = new AbortController();
    const slow: number[] = [];
    const slowly = (async () => {
      for await (const { id } of reader!.space('core').tail(entries, 0, stop.signal)) {
        slow.push(id);
        await systemClock.sleep(5);
      }
    })();
    const delays: number[] = [];
    const sent = new Map<string, number>();
    const fast = (async () => {
      for await (const { record } of reader!.space('core').tail(entries, 0, stop.signal)) {
        if (delays.push(performance.now() - sent.get(record.by)!) === 200) return;
      }
    })();
    for (let n = 0; n < 200; n++) {
      sent.set(`w.${n}`, performance.now());
      await writeOnce(writer!.space('core'), `w.${n}`);
    }
    await fast;
    assert.ok(slow.length < 200);
    delays.sort((a, b) => a - b);
    assert.ok(delays[100]! < 100, `${delays[100]} ms`);
    stop.abort();
    await slowly;
    assert.deepEqual(
      slow,
      slow.map((_, i) => i + 1),
    );
    await writer!.close();
    await reader!.close();
  });
});
