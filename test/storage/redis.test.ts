import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { storageContract } from '../contract/storage.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';

describeRedis('on a Redis', () => {
  let server: RedisServer;
  let stores = 0;
  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.stop());

  storageContract(
    'redis',
    async ({ now }) => {
      const prefix = `store-${stores++}`;
      const open = async () => {
        const adapter = redisStorage({ url: server.url, prefix, clock: { now } });
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
        destroy: () => adapter.close(),
      };
    },
    { describe, it, beforeEach, afterEach },
  );
});
