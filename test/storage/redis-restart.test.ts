import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { Store } from '../../core/storage/store.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { checkDone, entries, fault, insist, openRedis, writeOnce } from './redis-store.ts';

const EVERY_SECOND = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];

describeRedis('a Redis that stops and starts (F6)', function () {
  this.timeout(60_000);
  let server: RedisServer;
  let store: Store;
  let admin: Redis;

  async function begin(settings?: readonly string[]): Promise<void> {
    server = await RedisServer.start(settings);
    admin = new Redis(server.url, { lazyConnect: true });
    admin.on('error', () => {});
    store = await openRedis({ url: server.url, prefix: 'mesh', commandTimeout: 1_000 });
  }

  afterEach(async () => {
    admin.disconnect();
    await store.close();
    await server.stop();
  });

  it('keeps everything acknowledged through kills and clean stops, each effect once, ids without a gap', async () => {
    await begin();
    const done: string[] = [];
    let stopping = false;
    const writers = Array.from({ length: 8 }, async (_, task) => {
      for (let n = 0; !stopping; n++) {
        await insist(store.space('core'), `${task}.${n}`);
        done.push(`${task}.${n}`);
      }
    });
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      await systemClock.sleep(250);
      await server.kill(signal);
      await server.begin();
      const count = done.length;
      const ready = performance.now();
      while (done.length === count && performance.now() - ready < 5_000) await systemClock.sleep(10);
      assert.ok(performance.now() - ready < 2_000, 'writes go on within two seconds');
    }
    stopping = true;
    await Promise.all(writers);
    assert.equal(store.guarantees.durability, 'strict');
    const ids = await checkDone(store.space('core'), done);
    assert.deepEqual(
      ids,
      ids.map((_, i) => i + 1),
    );
  });

  it('refuses while the server loads, also to open for as long as it takes, then goes on', async () => {
    await begin();
    // Of its log, a server answers in between every 1 024 commands.
    await Promise.all(Array.from({ length: 6_000 }, (_, n) => admin.set(`ballast-${n}`, 'x')));
    await writeOnce(store.space('core'), 'a.1');
    await server.kill('SIGTERM');
    const slow = ['--appendonly', 'yes', '--appendfsync', 'always', '--key-load-delay', '500'];
    await server.begin({ wait: false, settings: slow });
    const began = performance.now();
    const opening = openRedis({ url: server.url, prefix: 'mesh', openTimeout: 500 });
    await assert.rejects(writeOnce(store.space('core'), 'a.2'), fault('unavailable'));
    const second = await opening;
    assert.ok(performance.now() - began > 1_000, 'it loads for longer than one waits for a server that is not there');
    assert.equal(await insist(second.space('core'), 'a.2'), 1);
    await insist(store.space('core'), 'a.3');
    await checkDone(second.space('core'), ['a.1', 'a.2', 'a.3']);
    await second.close();
  });

  it('sends its scripts again to a server that has forgotten them', async () => {
    await begin();
    await writeOnce(store.space('core'), 'a.1');
    await admin.script('FLUSH');
    await Promise.all(Array.from({ length: 20 }, (_, n) => writeOnce(store.space('core'), `b.${n}`)));
    await admin.script('FLUSH');
    assert.equal((await store.space('core').page(entries, { limit: 100 })).length, 21);
  });

  it('says that a server is busy with a script, and goes on when it is not', async () => {
    await begin();
    await admin.config('SET', 'lua-time-limit', '50');
    const other = admin.duplicate();
    await other.ping();
    const endless = admin.eval('while true do end', 0).catch(() => {});
    await systemClock.sleep(150);
    await assert.rejects(writeOnce(store.space('core'), 'a.1'), fault('unavailable'));
    await other.script('KILL');
    other.disconnect();
    await endless;
    await insist(store.space('core'), 'a.1');
    await checkDone(store.space('core'), ['a.1']);
  });

  it('refuses to write to a replica and to open one, and goes on when it is the primary again', async () => {
    await begin();
    await writeOnce(store.space('core'), 'a.1');
    await admin.replicaof('127.0.0.1', 1);
    await assert.rejects(writeOnce(store.space('core'), 'a.2'), fault('unavailable'));
    await assert.rejects(openRedis({ url: server.url, prefix: 'mesh' }), /read-only replica/);
    await admin.replicaof('NO', 'ONE');
    await insist(store.space('core'), 'a.2');
    await checkDone(store.space('core'), ['a.1', 'a.2']);
  });

  it('never gives an id or a version again that a relaxed server lost (F11)', async () => {
    await begin(EVERY_SECOND);
    assert.equal(store.guarantees.durability, 'relaxed');
    assert.match(store.guarantees.warnings.join(), /appendfsync always/);
    const backup = await mkdtemp(join(tmpdir(), 'mesh-redis-backup-'));
    try {
      await writeOnce(store.space('core'), 'a.1');
      await systemClock.sleep(1_500);
      await cp(server.dir, backup, { recursive: true });
      const lost = redisStorage({ url: server.url, prefix: 'mesh' });
      await lost.open();
      await lost.commit({ checks: [], effects: lose(5) });
      const [before] = await lost.read([{ collection: 'lost', id: 'a' }]);
      await server.kill('SIGKILL');
      await rm(server.dir, { recursive: true });
      await cp(backup, server.dir, { recursive: true });
      await server.begin();
      // The one that gave the lost ids is connected again, another one comes new: both go on above.
      assert.equal(await lost.read([{ collection: 'lost', id: 'a' }]).then(([row]) => row), undefined);
      const result = await lost.commit({ checks: [], effects: lose(2) });
      assert.ok(result.ok && result.ids.every((id) => id > 1_000_000), JSON.stringify(result));
      const [after] = await lost.read([{ collection: 'lost', id: 'a' }]);
      assert.ok(after!.version > before!.version);
      await lost.close();
      await insist(store.space('core'), 'a.2');
      const ids = await checkDone(store.space('core'), ['a.1', 'a.2']);
      assert.ok(ids[0] === 1 && ids[1]! > 1_000_000, ids.join());
    } finally {
      await rm(backup, { recursive: true });
    }
  });

  it('never gives an id again that a primary gave and its successor did not hear of', async () => {
    await begin();
    await writeOnce(store.space('core'), 'a.1');
    const successor = await RedisServer.start();
    const elect = new Redis(successor.url);
    let after: Store | undefined;
    try {
      await admin.config('SET', 'repl-diskless-sync-delay', '0');
      await elect.replicaof('127.0.0.1', server.port);
      while (!/master_link_status:up/.test(await elect.info('replication'))) await systemClock.sleep(10);
      await elect.replicaof('NO', 'ONE');
      await writeOnce(store.space('core'), 'a.2');
      after = await openRedis({ url: successor.url, prefix: 'mesh' });
      await writeOnce(after.space('core'), 'a.3');
      const [first, next] = await checkDone(after.space('core'), ['a.1', 'a.3']);
      assert.ok(first === 1 && next! > 1_000_000, `${first}, ${next}`);
    } finally {
      elect.disconnect();
      await after?.close();
      await successor.stop();
    }
  });

  it('follows the name of its host to the new primary, though nobody cuts the connection to the old one', async () => {
    await begin();
    const successor = await RedisServer.start();
    const elect = new Redis(successor.url);
    const proxy = await TcpProxy.to(server.port);
    const follower = await openRedis({ url: proxy.url, prefix: 'mesh' });
    const stop = new AbortController();
    const seen: string[] = [];
    try {
      await writeOnce(follower.space('core'), 'a.1');
      const tail = (async () => {
        for await (const { record } of follower.space('core').tail(entries, 0, stop.signal)) seen.push(record.by);
      })().catch(() => {});
      await admin.config('SET', 'repl-diskless-sync-delay', '0');
      await elect.replicaof('127.0.0.1', server.port);
      while (!/master_link_status:up/.test(await elect.info('replication'))) await systemClock.sleep(10);
      await elect.replicaof('NO', 'ONE');
      await admin.replicaof('127.0.0.1', successor.port);
      // For a moment the name still leads to the old one.
      await assert.rejects(writeOnce(follower.space('core'), 'a.2'), fault('unavailable'));
      await systemClock.sleep(200);
      await admin.replicaof('127.0.0.1', 1);
      proxy.target = successor.port;
      await insist(follower.space('core'), 'a.2', 5_000);
      await checkDone(follower.space('core'), ['a.1', 'a.2']);
      assert.deepEqual(await elect.hvals('{mesh}:sums'), ['2']);
      while (seen.length < 2) await systemClock.sleep(20);
      assert.deepEqual(seen, ['a.1', 'a.2']);
      stop.abort();
      await tail;
    } finally {
      stop.abort();
      elect.disconnect();
      await follower.close();
      await proxy.close();
      await successor.stop();
    }
  });

  it('goes on far above when the whole store is gone', async () => {
    await begin();
    await writeOnce(store.space('core'), 'a.1');
    await admin.flushall();
    await insist(store.space('core'), 'b.1');
    const [id] = await checkDone(store.space('core'), ['b.1']);
    assert.ok(id! > 1_000_000);
  });
});

function lose(count: number) {
  return [
    { kind: 'put', collection: 'lost', id: 'a', value: '{}', entries: [] } as const,
    ...Array.from({ length: count }, () => ({ kind: 'append', log: 'lost', value: '{}', postings: [] }) as const),
  ];
}
