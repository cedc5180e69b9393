import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { redisStorage } from '../../../adapters/storage-redis/index.ts';
import { SPACE } from '../../../core/aggregator/providers.ts';
import { WRITER_MS } from '../../../core/aggregator/store/writer.ts';
import { WriterLease } from '../../../core/aggregator/writer/writer-lease.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { collection } from '../../../core/storage/declarations.ts';
import { openStore, type Store } from '../../../core/storage/store.ts';
import { happens } from '../../support/happens.ts';
import { describeRedis, RedisServer } from '../../support/redis-server.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

const DAYS = 3 * 86_400_000;
const works = collection<{ by: string }>('works', { schema: () => [] });

/** Somebody who wants to be the writer, over a connection of its own. */
interface Candidate {
  readonly lease: WriterLease;
  readonly store: Store;
  readonly clock: ShiftedClock;
  /** Ends without a word, as a process that is killed. */
  die(): Promise<void>;
}

describeRedis('the lease of the writer', function () {
  this.timeout(60_000);
  let server: RedisServer;
  let proxy: TcpProxy;
  const alive = new Set<Candidate>();
  beforeEach(async () => {
    server = await RedisServer.start();
    proxy = await TcpProxy.to(server.port);
  });
  afterEach(async () => {
    for (const candidate of alive) await candidate.die();
    await proxy.close();
    await server.stop();
  });

  async function candidate(
    by: string,
    { url = server.url, ahead = 0, isInTime = (): boolean => true } = {},
  ): Promise<Candidate> {
    const clock = new ShiftedClock();
    clock.shift(ahead);
    const adapter = redisStorage({ url, prefix: 'lease' });
    const store = await openStore(adapter, { clock, random: systemRandom, validate: () => [] });
    const self = { by, agent_id: by, address: '127.0.0.1:1', secret: '' };
    const lease = new WriterLease({ space: store.space(SPACE), clock, log: silentLog, self, isInTime });
    let isOver = false;
    const looking = (async () => {
      while (!isOver) {
        await lease.look();
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    })();
    const made: Candidate = {
      ...{ lease, store, clock },
      async die() {
        alive.delete(made);
        isOver = true;
        await looking;
        await store.close();
      },
    };
    alive.add(made);
    return made;
  }

  const writes = (one: Candidate, ms?: number) =>
    happens('it is the writer', async () => one.lease.isWriter || undefined, ms);

  it('of a process whose clock is days ahead ends as soon as that of any other when it dies', async () => {
    const first = await candidate('ahead', { ahead: DAYS });
    await writes(first);
    await first.die();
    await writes(await candidate('next'), WRITER_MS + 5_000);
  });

  it('of a process whose clock is days behind is its own for as long as it renews it', async () => {
    const first = await candidate('behind', { ahead: -DAYS });
    await writes(first);
    const other = await candidate('other');
    for (const end = performance.now() + WRITER_MS + 1_000; performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.ok(first.lease.isWriter && !other.lease.isWriter);
    }
  });

  it('is given back by a process whose clock goes wrong, and taken again when it is right and the lease free', async () => {
    let isInTime = true;
    const first = await candidate('first', { isInTime: () => isInTime });
    await writes(first);
    const other = await candidate('other');
    isInTime = false;
    const began = performance.now();
    await writes(other);
    assert.ok(performance.now() - began < WRITER_MS / 2, 'it was given back, and did not run out');
    assert.equal(first.lease.isWriter, false);
    isInTime = true;
    await other.die();
    await writes(first, WRITER_MS + 5_000);
  });

  it('ends for a process whose connection hangs before another one has it, and nothing that it sent is carried out later', async () => {
    const first = await candidate('hangs', { url: proxy.url });
    await writes(first);
    const term = await first.lease.term(new AbortController().signal);
    let ended: number | undefined;
    term.addEventListener('abort', () => {
      ended = performance.now();
    });
    const other = await candidate('other');
    proxy.hold = true;
    // It writes as fast as it is answered, for as long as it is the writer.
    let sent = 0;
    const writing = (async () => {
      while (!term.aborted) {
        sent += 1;
        await first.store
          .space(SPACE)
          .put(works.ref('one'), { by: 'hangs' })
          .catch(() => {});
      }
    })();
    await writes(other, WRITER_MS + 10_000);
    const began = performance.now();
    assert.ok(
      ended !== undefined && ended < began,
      `it ended ${ended === undefined ? 'never' : began - ended} ms before`,
    );
    await writing;
    assert.ok(sent > 0);
    await other.store.space(SPACE).put(works.ref('one'), { by: 'other' });
    const admin = new Redis(server.url);
    const ran = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info('commandstats'))![1]);
    const before = await ran();
    proxy.release();
    await happens('what was held has come to the server', async () => ((await ran()) > before + 1 ? true : undefined));
    admin.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.deepEqual(await other.store.space(SPACE).get(works.ref('one')), { by: 'other' });
    assert.equal((await happens('it knows the other', async () => first.lease.holder)).by, 'other');
  });
});
