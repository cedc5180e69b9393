import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { countEvents, event } from './directory.ts';
import { fault } from './redis-store.ts';

const POLICIES = [
  ['noeviction', 'strict', ''],
  ['volatile-lru', 'strict', ''],
  ['allkeys-lru', 'relaxed', 'maxmemory-policy noeviction'],
] as const;

describeRedis('a Redis with little memory (F8)', () => {
  let server: RedisServer;
  let admin: Redis;
  let adapter: StorageAdapter;
  beforeEach(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.url);
    adapter = redisStorage({ url: server.url, prefix: 'mesh' });
    await adapter.open();
  });
  afterEach(async () => {
    await adapter.close();
    admin.disconnect();
    await server.stop();
  });

  const filler = (id: string, expires?: number) =>
    ({
      kind: 'put',
      collection: 'filling',
      id,
      value: 'x'.repeat(50_000),
      entries: [{ index: 'by', key: 'k' }],
      ...(expires !== undefined && { expires }),
    }) as const;
  const commit = (effects: Parameters<StorageAdapter['commit']>[0]['effects']) =>
    adapter.commit({ checks: [], effects });

  /** Has the server take so many bytes more than it has. */
  async function leaveRoom(bytes: number): Promise<void> {
    const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))![1]);
    await admin.config('SET', 'maxmemory', `${used + bytes}`);
  }

  async function fill(expires?: number): Promise<number> {
    await leaveRoom(2_000_000);
    for (let n = 0; n < 200; n++) {
      try {
        await commit([...event(n + 1), filler(`${n}`, expires)]);
      } catch (error) {
        fault('full')(error);
        // What it used for the calls comes back to it and would let one more in.
        await leaveRoom(-200_000);
        return n;
      }
    }
    return assert.fail('it never became full');
  }

  it('refuses whole commits as full, reads on, takes deletions and trims, and recovers', async () => {
    const written = await fill();
    assert.ok(written > 5);
    for (let n = 0; n < 50; n++) {
      await assert.rejects(commit([...event(written + 1), filler(`more-${n}`)]), fault('full'));
    }
    assert.equal(await countEvents(adapter), written);
    assert.equal(await adapter.count('filling', 'by'), written);
    assert.equal((await adapter.range({ collection: 'filling', index: 'by', limit: 3 })).length, 3);
    await commit([{ kind: 'trim', log: 'events', upTo: 2 }]);
    await commit(Array.from({ length: written }, (_, n) => ({ kind: 'delete', collection: 'filling', id: `${n}` })));
    assert.equal(await adapter.count('filling', 'by'), 0);
    const [, ...rest] = event(written + 1);
    const result = await commit([event(written + 1)[0]!, ...rest]);
    assert.deepEqual(result.ok && result.ids, [written + 1]);
  });

  it('makes room by taking out what has expired when it is read', async () => {
    const expires = Date.now() + 5_000;
    const written = await fill(expires);
    await assert.rejects(commit([filler('more')]), fault('full'));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, expires + 200 - Date.now())));
    assert.equal(await adapter.count('filling', 'by'), 0);
    assert.ok((await commit(event(written + 1))).ok);
    assert.equal(await admin.zcard('{mesh}:expiry'), 0);
  });

  it('takes out what has expired, and postings of what was trimmed, with every commit, though nobody reads', async () => {
    const expires = Date.now() + 100;
    await commit(Array.from({ length: 100 }, (_, n) => ({ ...filler(`${n}`, expires), value: 'x' })));
    await commit(Array.from({ length: 100 }, (_, n) => event(n + 1)).flat());
    await commit([{ kind: 'trim', log: 'events', upTo: 100 }]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (let n = 101; n <= 106; n++) await commit(event(n));
    assert.deepEqual(
      [
        await admin.zcard('{mesh}:expiry'),
        await admin.hlen('{mesh}:d:filling'),
        await admin.zcard('{mesh}:x:filling\0by'),
      ],
      [0, 0, 0],
    );
    assert.deepEqual(
      [
        await admin.zcard('{mesh}:p:events\0even'),
        await admin.xlen('{mesh}:o:events'),
        await admin.scard('{mesh}:trimming'),
      ],
      [3, 6, 0],
    );
  });

  for (const [policy, durability, advice] of POLICIES) {
    it(`is ${durability} with ${policy}`, async () => {
      await admin.config('SET', 'maxmemory-policy', policy);
      const other = redisStorage({ url: server.url, prefix: 'mesh' });
      await other.open();
      assert.equal(other.guarantees.durability, durability);
      assert.ok(other.guarantees.warnings.join().includes(advice));
      assert.equal(other.guarantees.warnings.length, advice ? 1 : 0);
      await other.close();
    });
  }
});
