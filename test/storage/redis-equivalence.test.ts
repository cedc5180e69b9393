import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { Clock } from '../../core/clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { START } from '../../core/testing/storage-contract.ts';
import { commands, outcomes } from '../contract/storage-commands.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';

type Open = (clock: Pick<Clock, 'now'>) => StorageAdapter;

describeRedis('the same commands leave the same state', function () {
  this.timeout(120_000);
  let server: RedisServer;
  let dir: string;
  let stores = 0;
  before(async () => {
    server = await RedisServer.start();
    dir = await mkdtemp(join(tmpdir(), 'mesh-storage-'));
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  });

  const kinds: Record<string, Open> = {
    memory: (clock) => memoryStorage({ clock }),
    lowdb: (clock) =>
      lowdbStorage({ dir: join(dir, `${stores++}`), clock, checkpointBytes: 2_000, segmentRecords: 8, hotRecords: 4 }),
    redis: (clock) => redisStorage({ url: server.url, prefix: `e-${stores++}`, clock }),
  };

  async function run(kind: string, steps: Parameters<typeof outcomes>[1]) {
    let now = START;
    const adapter = kinds[kind]!({ now: () => now });
    await adapter.open();
    try {
      return await outcomes(adapter, steps, (ms) => {
        now += ms;
      });
    } finally {
      await adapter.close();
    }
  }

  for (const kind of ['redis', 'lowdb']) {
    it(`in memory and on ${kind}`, async () => {
      const same = fc.asyncProperty(commands(START), async (steps) => {
        assert.deepEqual(await run(kind, steps), await run('memory', steps));
      });
      await fc.assert(same, { seed: 20_250_101, numRuns: 60 });
    });
  }
});
