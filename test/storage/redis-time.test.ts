import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { expiring } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';
import { happens } from '../support/happens.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { anything, fault } from './redis-store.ts';

const DAYS = 3 * 86_400_000;
const held = expiring<{ by: string }>('held', { ms: 700, schema: anything });

describeRedis('the time of a store on Redis', function () {
  this.timeout(30_000);
  let server: RedisServer;
  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.stop());

  async function opened(url: string, ahead = 0) {
    const clock = new ShiftedClock();
    clock.shift(ahead);
    const adapter = redisStorage({ url, prefix: 'time' });
    return openStore(adapter, { clock, random: systemRandom, validate: anything });
  }

  for (const [name, ahead] of Object.entries({ ahead: DAYS, behind: -DAYS }))
    it(`is that by which a lease lasts as long as it says, of a process whose clock is days ${name}`, async () => {
      const [wrong, right] = [await opened(server.url, ahead), await opened(server.url)];
      const ref = held.ref(name);
      await wrong.space('core').put(ref, { by: 'wrong' });
      const began = performance.now();
      assert.deepEqual(await right.space('core').get(ref), { by: 'wrong' });
      const gone = async () => ((await right.space('core').get(ref)) === undefined ? true : undefined);
      await happens('the lease is over', gone, 5_000);
      assert.ok(performance.now() - began > 400, `${performance.now() - began} ms`);
      await Promise.all([wrong.close(), right.close()]);
    });

  it('tells a process how far its clock is ahead', async () => {
    const [wrong, right] = [await opened(server.url, DAYS), await opened(server.url)];
    assert.ok(Math.abs(wrong.ahead - DAYS) < 5_000, `${wrong.ahead}`);
    assert.ok(Math.abs(right.ahead) < 5_000, `${right.ahead}`);
    await Promise.all([wrong.close(), right.close()]);
  });

  it('ends what a commit may take: one that lay in the network for longer is not carried out', async () => {
    const proxy = await TcpProxy.to(server.port);
    const admin = new Redis(server.url);
    const adapter: StorageAdapter = redisStorage({ url: proxy.url, prefix: 'late', commandTimeout: 400 });
    await adapter.open();
    try {
      const put = (id: string) =>
        adapter.commit({ checks: [], effects: [{ kind: 'put', collection: 'a', id, value: '1', entries: [] }] });
      await put('at once');
      proxy.hold = true;
      await assert.rejects(put('late'), fault('unavailable'));
      const before = await commits(admin);
      await new Promise((resolve) => setTimeout(resolve, 200));
      proxy.release();
      await happens('the server has got it', async () => ((await commits(admin)) > before ? true : undefined));
      assert.deepEqual(await admin.hkeys('{late}:d:a'), ['at once']);
      await put('after');
      assert.deepEqual((await admin.hkeys('{late}:d:a')).sort(), ['after', 'at once']);
    } finally {
      await adapter.close();
      await proxy.close();
      admin.disconnect();
    }
  });
});

/** How many scripts the server has run. */
async function commits(admin: Redis): Promise<number> {
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
}
