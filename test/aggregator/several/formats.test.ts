import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { lowdbStorage } from '../../../adapters/storage-lowdb/index.ts';
import { redisStorage } from '../../../adapters/storage-redis/index.ts';
import { formatRef } from '../../../core/aggregator/store/format.ts';
import { fenceRefs, formerWriterRefs } from '../../../core/aggregator/store/writer.ts';
import { collection } from '../../../core/storage/declarations.ts';
import type { DumpRow } from '../../../core/storage/dump.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { NOON } from '../support/domain.ts';
import { Fleet } from './fleet.ts';

const FORMER = join(import.meta.dirname, '../../storage/formats/aggregator-nonces.tar.gz');
const formerNonces = collection<object>('nonces', { schema: () => [] });

describeRedis('a Redis whose store has another format', function () {
  this.timeout(120_000);
  let fleet: Fleet;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-former-'));
    execFileSync('tar', ['-xzf', FORMER, '-C', folder]);
    fleet = await Fleet.open();
    const files = lowdbStorage({ dir: join(folder, 'aggregator-nonces', 'store'), clock: { now: () => NOON } });
    await files.open();
    await redisStorage({ url: fleet.redis.url, prefix: 'fleet' }).load!(lasting(files.dump!()));
    await files.close();
    assert.equal(await fleet.space.count(formerNonces), 7);
  });
  after(async () => {
    await fleet?.close();
    await rm(folder, { recursive: true });
  });

  for (const [index, format] of [1, 2, 3, 4].entries())
    it(`is left as it is while an aggregator of format ${format} uses it, which is named`, async () => {
      const writer = { by: 'x', agent_id: 'EarlierRelease', address: '127.0.0.1:1', plugins: [], secret: '' };
      const renewing = setInterval(() => void fleet.space.put(formerWriterRefs[index]!, writer), 500);
      try {
        const sentence =
          /An aggregator of an earlier release, EarlierRelease, uses this store.* Stop all aggregators of/;
        await assert.rejects(fleet.start('early'), sentence);
        await assert.rejects(fleet.start('early again'), sentence);
      } finally {
        clearInterval(renewing);
      }
      await fleet.space.del(formerWriterRefs[index]!);
      assert.equal(await fleet.space.count(formerNonces), 7);
      assert.equal(await fleet.space.get(formatRef), undefined);
    });

  it('is moved once none is there, by whichever starts, and has its format written down', async () => {
    await Promise.all(['one', 'other'].map((name) => fleet.start(name)));
    assert.equal(await fleet.space.count(formerNonces), 0);
    assert.deepEqual(await fleet.space.get(formatRef), { number: 5 });
    await fleet.settled();
  });

  it('keeps in the place where earlier releases look a writer with other plugins, since that ends their start', async () => {
    const redis = new Redis(fleet.redis.url);
    const row = await redis.hget('{fleet}:d:aggregator:writers', 'who');
    redis.disconnect();
    assert.match(row!, /^\d+ 0 /, 'it has no end');
    const { agent_id, plugins } = (await fleet.space.get(fenceRefs[0]!))!;
    assert.deepEqual(plugins, ['store-format-5']);
    assert.match(agent_id, /of a newer release .*start that release here too/);
    assert.notEqual((await fleet.lease())!.agent_id, agent_id);
  });

  for (const number of [2, 3, 4])
    it(`has the new format written down where it had format ${number}, whose deals are read as they are`, async () => {
      await fleet.space.put(formatRef, { number });
      for (const ref of fenceRefs) await fleet.space.del(ref);
      await fleet.start(`of ${number}`);
      assert.deepEqual(await fleet.space.get(formatRef), { number: 5 });
      assert.deepEqual((await fleet.space.get(fenceRefs[1]!))!.plugins, ['store-format-5']);
    });

  it('is refused when a newer release has written it', async () => {
    await fleet.space.put(formatRef, { number: 6 });
    await assert.rejects(
      fleet.start('late'),
      /This store has format 6, and this release reads formats up to 5\. Start/,
    );
  });
});

/** The same rows, of which none has expired since. */
async function* lasting(rows: AsyncIterable<DumpRow>): AsyncGenerator<DumpRow> {
  for await (const row of rows) yield row[0] === 'document' ? (row.toSpliced(6, 1, null) as unknown as DumpRow) : row;
}
