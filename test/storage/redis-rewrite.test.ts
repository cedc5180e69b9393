import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { systemClock } from '../../core/platform/system-clock.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { checkDone, insist, openRedis } from './redis-store.ts';

const ROUNDS = 6;
/** So much that a rewrite takes long enough to be killed in the middle of it. */
const BALLAST = 40;

describeRedis('a Redis killed while it rewrites its log (F1)', function () {
  this.timeout(120_000);

  it('keeps everything acknowledged, each effect once, ids without a gap', async () => {
    const server = await RedisServer.start();
    const store = await openRedis({ url: server.url, prefix: 'mesh', commandTimeout: 2_000 });
    const admin = new Redis(server.url, { lazyConnect: true, maxRetriesPerRequest: 0 });
    admin.on('error', () => {});
    try {
      for (let n = 0; n < BALLAST; n++) await admin.set(`ballast-${n}`, 'x'.repeat(1_000_000));
      const done: string[] = [];
      let stopping = false;
      const writers = Array.from({ length: 4 }, async (_, task) => {
        for (let n = 0; !stopping; n++) {
          await insist(store.space('core'), `${task}.${n}`, 60_000);
          done.push(`${task}.${n}`);
        }
      });
      let caught = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const before = done.length;
        while (done.length < before + 5) await systemClock.sleep(5);
        // The store may have asked for one already, when it met the server again.
        await admin.bgrewriteaof().catch((error) => assert.match(error.message, /already in progress/));
        await systemClock.sleep(round * 5);
        if (/aof_rewrite_in_progress:1/.test(await admin.info('persistence'))) caught++;
        await server.kill('SIGKILL');
        await server.begin();
        while (admin.status !== 'ready') await systemClock.sleep(10);
      }
      stopping = true;
      await Promise.all(writers);
      assert.ok(caught >= 2, `${caught} kills hit a rewrite`);
      const ids = await checkDone(store.space('core'), done);
      assert.deepEqual(
        ids,
        ids.map((_, i) => i + 1),
      );
    } finally {
      admin.disconnect();
      await store.close();
      await server.stop();
    }
  });
});
