import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { SCORING_MS, scoringRef } from '../../core/aggregator/store/scores.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { openStore, type Store } from '../../core/storage/store.ts';
import { happens } from '../support/happens.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { network, signDeal, TestAgent } from './support/agent.ts';

describeRedis('two aggregators on one Redis', function () {
  this.timeout(180_000);
  let redis: RedisServer;
  let folder: string;
  let store: Store;
  const processes: MeshProcess[] = [];
  let made = 0;

  before(async () => {
    redis = await RedisServer.start();
    folder = await mkdtemp(join(tmpdir(), 'mesh-lease-'));
    const contracts = loadContracts();
    const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
    const adapter = redisStorage({
      url: redis.url,
      prefix: 'shared',
      log: silentLog,
      clock: systemClock,
    });
    store = await openStore(adapter, { clock: systemClock, random: systemRandom, validate });
  });
  after(async () => {
    for (const process of processes) await process.kill();
    await store?.close();
    await redis?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** A process of its own, with a key and a folder of its own. */
  async function start(name: string) {
    const port = await freePort();
    const config = join(folder, `${name}.json`);
    const settings = {
      ...{ profile: 'aggregator', listen: `127.0.0.1:${port}`, dataDir: join(folder, name), plugins: {} },
      network: { id: network.name },
      storage: { use: 'redis', url: redis.url, prefix: 'shared' },
      core: { ingest: { newKeysPerHour: 1_000, itemsPerKeyPerMinute: 1_000 } },
    };
    await writeFile(config, JSON.stringify(settings));
    const process = new MeshProcess(['start', '--config', config]);
    processes.push(process);
    const url = `http://127.0.0.1:${port}`;
    await happens(
      `${name} answers`,
      async () => {
        const answer = await fetch(`${url}/ready`).catch(() => undefined);
        return answer?.ok || undefined;
      },
      90_000,
    );
    return { process, url };
  }

  /** Reports a deal and its rating to the one, and waits until the other shows the score; milliseconds that took. */
  async function scored(through: string, shownBy: string): Promise<number> {
    made += 1;
    const [asker, worker] = [new TestAgent(`asker of lease ${made}`), new TestAgent(`worker of lease ${made}`)];
    const { propose, accept, deliver, conversation } = signDeal(asker, worker);
    const items = [propose.receipt, accept.receipt, deliver.receipt, asker.feedback(worker, conversation, 100).whole];
    const began = performance.now();
    const body = JSON.stringify({ items });
    const headers = { 'content-type': 'application/json' };
    const { results } = (await (
      await fetch(`${through}/ingest/envelopes`, { method: 'POST', headers, body })
    ).json()) as any;
    assert.deepEqual(
      results.map(({ status }: any) => status),
      Array(4).fill('accepted'),
    );
    await happens(
      'the rating is scored',
      async () => {
        const found: any = await (await fetch(`${shownBy}/reputation/${worker.id}`)).json();
        return found.score === 1 || undefined;
      },
      2 * SCORING_MS + 30_000,
    );
    return performance.now() - began;
  }

  const holder = async () => (await store.space(SPACE).get(scoringRef))?.by;

  it('let one compute, and the other take over when that is killed', async () => {
    const first = await start('first');
    await scored(first.url, first.url);
    const by = await holder();
    assert.ok(by);
    const second = await start('second');
    await scored(second.url, second.url);
    await scored(first.url, second.url);
    assert.equal(await holder(), by, 'what the second is told, the first has scored');
    await first.process.stop('SIGKILL');
    const took = await scored(second.url, second.url);
    assert.ok(took < SCORING_MS + SCORING_MS / 3 + 10_000, `after ${took} ms`);
    assert.notEqual(await holder(), by);
  });

  it('hand over at once when the one that computes is stopped', async () => {
    const [, second] = processes;
    const third = await start('third');
    const by = await holder();
    assert.equal((await second!.stop('SIGTERM')).code, 0);
    const took = await scored(third.url, third.url);
    assert.ok(took < SCORING_MS / 3 + 10_000, `after ${took} ms`);
    assert.notEqual(await holder(), by);
  });
});
