import assert from 'node:assert/strict';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { countEvents, event } from './directory.ts';
import { Tmpfs } from './tmpfs.ts';

describeRedis('a Redis whose disk is full (F4; skipped without root and leave to mount a tmpfs)', function () {
  this.timeout(60_000);
  let tmpfs: Tmpfs | undefined;
  before(async function () {
    tmpfs = await Tmpfs.mount('4m');
    if (!tmpfs) this.skip();
  });
  after(() => tmpfs?.unmount());

  it('does not acknowledge what it cannot keep, and has all that it did when there is room again', async () => {
    const strict = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', tmpfs!.dir];
    const server = await RedisServer.start(strict);
    const adapter = redisStorage({ url: server.url, prefix: 'mesh', commandTimeout: 1_000 });
    await adapter.open();
    try {
      let last = 0;
      let refusal: unknown;
      while (refusal === undefined && last < 1_000) {
        const filling = {
          kind: 'put',
          collection: 'filling',
          id: `${last}`,
          value: 'x'.repeat(20_000),
          entries: [],
        } as const;
        refusal = await adapter.commit({ checks: [], effects: [...event(last + 1), filling] }).then(
          () => void last++,
          (error) => error,
        );
      }
      assert.ok(refusal instanceof StorageError && refusal.fault === 'unavailable', String(refusal));
      assert.ok(last > 20);
      // Such a server ends itself rather than acknowledge: what it must not do is go on.
      await assert.rejects(adapter.commit({ checks: [], effects: event(last + 1) }), { fault: 'unavailable' });
      tmpfs!.change('size=64m');
      await server.kill('SIGKILL');
      await server.begin();
      while (
        await adapter.counters(['events']).then(
          () => false,
          () => true,
        )
      )
        await systemClock.sleep(20);
      const found = await countEvents(adapter);
      assert.ok(found === last || found === last + 1, `${found} of ${last}`);
      await adapter.commit({ checks: [], effects: event(found + 1) });
      assert.equal(await countEvents(adapter), found + 1);
    } finally {
      await adapter.close();
      await server.stop();
    }
  });
});
