import { randomUUID } from 'node:crypto';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { storageContract } from '../../core/testing/storage-contract.ts';
import { findRedis, RedisServer, removeStore } from '../support/redis-server.ts';

/** The contract also runs on a Redis that somebody names; all the other tests need servers that they may kill. */
const given = process.env['REDIS_URL'];

if (given || findRedis()) {
  describe('on a Redis', () => {
    let server: RedisServer | undefined;
    let stores = 0;
    const run = randomUUID();
    before(async () => {
      if (!given) server = await RedisServer.start();
    });
    after(() => server?.stop());

    storageContract(
      'redis',
      async ({ now }) => {
        const prefix = `${run}-${stores++}`;
        const open = async () => {
          const adapter = redisStorage({ url: given ?? server!.url, prefix, clock: { now } });
          await adapter.open();
          return adapter;
        };
        let adapter = await open();
        return {
          adapter,
          async reopen() {
            await adapter.close();
            adapter = await open();
            return adapter;
          },
          destroy: async () => {
            await adapter.close();
            if (given) await removeStore(given, prefix);
          },
        };
      },
      { describe, it, beforeEach, afterEach },
    );
  });
} else {
  describe('on a Redis', () => it.skip('needs a redis-server on the PATH or REDIS_URL'));
}
