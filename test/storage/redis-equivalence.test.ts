import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { lowdbStorage } from '../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { Clock } from '../../core/platform/clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { START } from '../../core/testing/storage-contract.ts';
import { type Command, commands, outcomes } from '../contract/storage-commands.ts';
import { seedOf } from '../program/support/random.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';

/** Gives a function that makes adapters on one and the same store. */
type Place = (clock: Pick<Clock, 'now'>) => () => StorageAdapter;

const SEED = seedOf(20_250_101);
const RUNS = Number(process.env['RUNS'] ?? 60);

describeRedis('the same commands leave the same state', function () {
  this.timeout(2_000 * RUNS);
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

  const kinds: Record<string, Place> = {
    memory: (clock) => () => memoryStorage({ clock }),
    lowdb: (clock) => {
      const sizes = { checkpointBytes: 2_000, segmentRecords: 8, hotRecords: 4 };
      const place = join(dir, `${stores++}`);
      return () => lowdbStorage({ dir: place, clock, ...sizes });
    },
    redis: (clock) => {
      const prefix = `e-${stores++}`;
      return () => redisStorage({ url: server.url, prefix, clock });
    },
  };

  async function run(kind: string, steps: readonly Command[]) {
    let now = START;
    const make = kinds[kind]!({ now: () => now });
    let adapter = make();
    await adapter.open();
    const pass = (ms: number) => {
      now += ms;
    };
    const reopen = async () => {
      await adapter.close();
      adapter = make();
      await adapter.open();
      return adapter;
    };
    try {
      return await outcomes(adapter, steps, kind === 'memory' ? { pass } : { pass, reopen });
    } finally {
      await adapter.close();
    }
  }

  for (const kind of ['redis', 'lowdb']) {
    it(`in memory and on ${kind}, from seed ${SEED} (SEED and RUNS in the environment change it)`, async () => {
      const same = fc.asyncProperty(commands(START), async (steps) => {
        assert.deepEqual(await run(kind, steps), await run('memory', steps));
      });
      await fc.assert(same, { seed: SEED, numRuns: RUNS });
    });
  }
});
