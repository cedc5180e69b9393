import assert from 'node:assert/strict';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { findRedis, RedisServer } from '../support/redis-server.ts';
import { StoreDirectory } from './directory.ts';

const HOUR = 3_600_000;
const LEASE = 120_000;

describe('a clock that jumps by an hour (F10)', function () {
  this.timeout(60_000);
  let store: StoreDirectory;
  let server: RedisServer | undefined;
  let now = 0;
  const clock = { now: () => now };
  beforeEach(async () => {
    now = 1_700_000_000_000;
    store = await StoreDirectory.make();
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    await store.remove();
  });

  const kinds: Record<string, () => StorageAdapter | Promise<StorageAdapter>> = {
    memory: () => memoryStorage({ clock }),
    lowdb: () => lowdbStorage({ dir: store.path, clock, checkpointBytes: 2_000 }),
    ...(findRedis() && {
      async redis() {
        server = await RedisServer.start();
        return redisStorage({ url: server.url, prefix: 'jumps', clock });
      },
    }),
  };

  for (const [kind, make] of Object.entries(kinds)) {
    it(`${kind}: forwards ends every lease at once, backwards ends none too early, versions and ids rise`, async () => {
      const adapter = await make();
      await adapter.open();
      const ref = { collection: 'hosts', id: 'a' };
      const beat = async () => {
        const effects = [
          { kind: 'put', ...ref, value: '1', entries: [{ index: 'seen', key: 'k' }], expires: now + LEASE } as const,
          { kind: 'append', log: 'beats', value: '1', postings: [] } as const,
        ];
        const result = await adapter.commit({ checks: [], effects });
        const [row] = await adapter.read([ref]);
        return { version: row!.version, id: result.ok ? result.ids[0]! : 0 };
      };
      const alive = async () => {
        const [[row], page, count, rank] = await Promise.all([
          adapter.read([ref]),
          adapter.range({ collection: 'hosts', index: 'seen', limit: 5 }),
          adapter.count('hosts'),
          adapter.rank('hosts', 'seen', 'k', 'a'),
        ]);
        assert.deepEqual([page.length, count, rank], row ? [1, 1, 0] : [0, 0, undefined]);
        return row !== undefined;
      };
      let last = await beat();
      const jump = async (ms: number, isAlive: boolean) => {
        now += ms;
        assert.equal(await alive(), isAlive, `${ms}`);
        const next = await beat();
        assert.ok(next.version > last.version && next.id === last.id + 1);
        last = next;
        assert.equal(await alive(), true);
      };
      await jump(LEASE - 1, true);
      await jump(HOUR, false);
      await jump(-HOUR, true);
      await jump(-HOUR, true);
      await jump(HOUR + LEASE - 1, false);
      await jump(LEASE, false);
      await adapter.close();
    });
  }
});
