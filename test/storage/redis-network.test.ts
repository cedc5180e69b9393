import assert from 'node:assert/strict';
import { COMMIT_BATCH } from '../../adapters/storage-redis/scripts.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import type { Space } from '../../core/storage/space.ts';
import type { Store } from '../../core/storage/store.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { checkDone, entries, fault, insist, openRedis, sum, writeOnce } from './redis-store.ts';

const TIMEOUT = 500;
/** How long a call may take that ends with the command timeout, on a busy machine. */
const LATEST = TIMEOUT * 1.1 + 150;

describeRedis('a Redis behind a bad network (F7)', () => {
  let server: RedisServer;
  let proxy: TcpProxy;
  let store: Store;
  let space: Space;
  let stores = 0;

  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.stop());
  beforeEach(async () => {
    proxy = await TcpProxy.to(server.port);
    store = await openRedis({ url: proxy.url, prefix: `net-${++stores}`, commandTimeout: TIMEOUT });
    space = store.space('core');
    await writeOnce(space, 'warm.0');
  });
  afterEach(async () => {
    await store.close();
    await proxy.close();
  });

  async function timed(work: Promise<unknown>): Promise<number> {
    const started = performance.now();
    await work;
    return performance.now() - started;
  }

  for (const [when, before, tries] of [
    ['before it arrives', true, 2],
    ['when it is done and not yet answered', false, 2],
  ] as const) {
    it(`a commit that is cut off ${when} is reported as unknown at once, and done once when it is tried again`, async () => {
      proxy.trap = { text: COMMIT_BATCH.sha, before };
      assert.ok((await timed(assert.rejects(writeOnce(space, 'a.1'), fault('unavailable')))) < TIMEOUT);
      assert.equal(await space.total(sum), before ? 1n : 2n);
      assert.ok((await timed(insist(space, 'a.1'))) < 2_000);
      proxy.trap = { text: COMMIT_BATCH.sha, before };
      assert.equal(await insist(space, 'b.1'), tries);
      await checkDone(space, ['warm.0', 'a.1', 'b.1']);
    });
  }

  it('answers that are cut in the middle change nothing', async () => {
    const done = ['warm.0'];
    for (const bytes of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
      proxy.replyBytes = bytes;
      const write = insist(space, `cut.${bytes}`);
      setTimeout(() => {
        proxy.replyBytes = undefined;
        proxy.cut();
      }, 30);
      await write;
      done.push(`cut.${bytes}`);
    }
    await checkDone(space, done);
  });

  it('a read whose answer is lost is asked again without anybody noticing', async () => {
    const read = Promise.all(Array.from({ length: 20 }, () => space.page(entries)));
    proxy.cut();
    for (const page of await read) assert.equal(page.length, 1);
  });

  it('a black hole ends every call with the command timeout, and is forgotten within two seconds', async () => {
    proxy.blackHole = true;
    for (const call of [() => writeOnce(space, 'a.1'), () => space.page(entries), () => space.total(sum)]) {
      const took = await timed(assert.rejects(call(), fault('unavailable')));
      assert.ok(took < LATEST, `${took} ms`);
    }
    proxy.blackHole = false;
    assert.ok((await timed(insist(space, 'a.1'))) < 2_000);
    await checkDone(space, ['warm.0', 'a.1']);
  });

  it('a tail goes on where it was after cuts and a black hole, each record once', async () => {
    const seen: number[] = [];
    const stop = new AbortController();
    const tail = follow(seen, 62, stop.signal);
    const writer = await openRedis({ url: server.url, prefix: `net-${stores}` });
    try {
      for (let i = 1; i <= 60; i++) {
        await writeOnce(writer.space('core'), `t.${i}`);
        if (i % 10 === 0) proxy.cut();
      }
      proxy.blackHole = true;
      await writeOnce(writer.space('core'), 't.61');
      await systemClock.sleep(TIMEOUT / 2);
      proxy.blackHole = false;
      assert.ok((await timed(tail)) < 10_000);
    } finally {
      stop.abort();
      await writer.close();
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 62 }, (_, i) => i + 1),
    );
  });

  it('a tail whose connection died without a word asks again after a few seconds', async () => {
    const seen: number[] = [];
    const stop = new AbortController();
    const tail = follow(seen, 2, stop.signal);
    const writer = await openRedis({ url: server.url, prefix: `net-${stores}` });
    try {
      while (seen.length === 0) await systemClock.sleep(5);
      // It waits for the next record by now; the answer that tells of it is lost.
      await systemClock.sleep(200);
      proxy.dropReplies = true;
      await writeOnce(writer.space('core'), 'a.1');
      await systemClock.sleep(50);
      proxy.dropReplies = false;
      assert.ok((await timed(Promise.race([tail, systemClock.sleep(6_000)]))) < 5_000);
    } finally {
      stop.abort();
      await writer.close();
    }
    assert.deepEqual(seen, [1, 2]);
  });

  /** What every consumer of a tail does: goes on behind the last record it has when the store could not be reached. */
  async function follow(seen: number[], count: number, stop: AbortSignal): Promise<void> {
    while (seen.length < count && !stop.aborted) {
      try {
        for await (const { id } of space.tail(entries, seen.at(-1) ?? 0, stop)) {
          if (seen.push(id) === count) return;
        }
      } catch (error) {
        if (stop.aborted || !fault('unavailable')(error)) throw error;
        await systemClock.sleep(1);
      }
    }
  }

  it('works, slowly, with 200 ms each way, and one byte at a time', async () => {
    proxy.latency = 200;
    await insist(space, 'slow.1');
    proxy.latency = 0;
    proxy.trickle = true;
    await insist(space, 'slow.2');
    await checkDone(space, ['warm.0', 'slow.1', 'slow.2']);
  });

  it('can be closed while nothing answers', async () => {
    proxy.blackHole = true;
    const write = assert.rejects(writeOnce(space, 'a.1'), fault('unavailable'));
    const took = await timed(store.close());
    await write;
    assert.ok(took < LATEST * 2, `${took} ms`);
  });
});
