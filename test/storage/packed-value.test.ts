import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { packedRow, unpackedRow } from '../../adapters/storage-redis/packed-value.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';

const marked = (...texts: readonly unknown[]) => JSON.stringify(['=', ...texts]);
const bytesOf = (row: string | Buffer) => Buffer.from(row as string);
const base64 = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('base64'));

describe('a row with base64 in its value', () => {
  it('comes back as it was, whatever else is in it', () => {
    const text = fc.oneof(
      base64,
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^[\w+/=]{0,90}$/),
    );
    const row = fc.tuple(fc.string({ unit: 'binary' }), fc.array(fc.oneof(text, fc.integer(), fc.constant(null))));
    fc.assert(
      fc.property(row, ([head, texts]) => {
        const [ours, value] = [Buffer.from(head).toString(), marked(...texts)];
        assert.equal(unpackedRow(bytesOf(packedRow(ours, value))), ours + value);
        assert.equal(unpackedRow(bytesOf(packedRow(ours, JSON.stringify(texts)))), ours + JSON.stringify(texts));
      }),
      { numRuns: 1_000, seed: 11 },
    );
  });

  it('comes back when a run is longer than one head can tell', () => {
    const value = marked(Buffer.alloc(300_000, 7).toString('base64'), 'end');
    const packed = packedRow('1 0 0 0 ', value);
    assert.ok(packed.length < 0.76 * value.length);
    assert.equal(unpackedRow(bytesOf(packed)), `1 0 0 0 ${value}`);
  });

  it('is kept as it is where the value does not say that it has some', () => {
    const value = JSON.stringify([Buffer.alloc(300, 7).toString('base64')]);
    assert.equal(packedRow('1 0 0 0 ', value), `1 0 0 0 ${value}`);
  });
});

describeRedis('values with base64 on Redis', () => {
  let server: RedisServer;
  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.stop());

  it('take three quarters of the room, and are told as they were put, by each way of reading and in an export', async () => {
    const value = marked(Buffer.alloc(600, 250).toString('base64'), 'ünder', null);
    const adapter = redisStorage({ url: server.url, prefix: 'packed' });
    await adapter.open();
    const admin = new Redis(server.url);
    try {
      const entries = [{ index: 'by', key: 'k' }];
      const put = { kind: 'put', collection: 'a', value, entries } as const;
      const lasting = { ...put, id: 'lasting' };
      const living = { ...put, id: 'living', expires: Date.now() + 60_000, lives: 60_000 };
      await adapter.commit({ checks: [], effects: [lasting, living] });
      // As releases of before have put it.
      await admin.hset('{packed}:d:a', 'former', `1 0 0 0 ${value}`);
      await admin.zadd('{packed}:i:a', 0, 'former');
      assert.ok((await admin.hstrlen('{packed}:d:a', 'living')) < 0.82 * value.length);
      const ids = ['former', 'lasting', 'living'];
      const read = await adapter.read(ids.map((id) => ({ collection: 'a', id })));
      assert.deepEqual(
        read.map((row) => row?.value),
        Array(3).fill(value),
      );
      const listed = await adapter.range({ collection: 'a', limit: 10 });
      assert.deepEqual(
        listed.map((row) => [row.id, row.value]),
        ids.map((id) => [id, value]),
      );
      const found = await adapter.range({ collection: 'a', index: 'by', limit: 10 });
      assert.deepEqual(
        found.map((row) => [row.id, row.key, row.value]),
        ids.slice(1).map((id) => [id, 'k', value]),
      );
      const rows = [];
      for await (const row of adapter.dump!()) if (row[0] === 'document') rows.push(row);
      assert.deepEqual(
        rows.map((row) => [row[2], row[4]]),
        ids.map((id) => [id, value]),
      );
      const copyOf = () => redisStorage({ url: server.url, prefix: 'copy' });
      await copyOf().load!(adapter.dump!());
      assert.ok((await admin.hstrlen('{copy}:d:a', 'former')) < 0.82 * value.length);
      const copy = copyOf();
      await copy.open();
      const [again] = await copy.read([{ collection: 'a', id: 'former' }]);
      assert.equal(again?.value, value);
      await copy.close();
    } finally {
      admin.disconnect();
      await adapter.close();
    }
  });
});
