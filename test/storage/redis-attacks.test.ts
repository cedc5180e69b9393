import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { redisStorage } from '../../adapters/storage-redis/index.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { appendLog, collection } from '../../core/storage/declarations.ts';
import { openStore } from '../../core/storage/store.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import { network } from '../support/stranger.ts';
import { anything } from './redis-store.ts';

/** What means something to Redis, to Lua, to its key slots or to whoever reads a log. */
const HOSTILE = [
  'plain',
  '}',
  '{other}',
  '{mesh}:meta',
  ':i:words',
  '*',
  '[a-z]?',
  'a b\r\nFLUSHALL\r\n',
  '$6\r\nfoobar\r\n',
  "'..redis.call('FLUSHALL')..'",
  ']]redis.call("FLUSHALL")--[[',
  '%s%d%1',
  '\u2028',
  'ä漢😀',
  '-inf',
  '+',
  '(a',
  '0x10',
  '9007199254740993',
  '__proto__',
  'x'.repeat(400),
];
const CANARY = 'do not touch';

interface Word {
  readonly text: string;
  readonly by: string;
}

const words = collection<Word, 'by'>('words', { schema: anything, indexes: { by: ({ by }) => [by] } });
const lines = appendLog<Word>('lines', { schema: anything, postings: ({ by }) => [by] });

describeRedis('a Redis store and hostile names and values', () => {
  let server: RedisServer;
  let admin: Redis;
  before(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.url);
  });
  after(async () => {
    admin.disconnect();
    await server.stop();
  });

  it('keeps them exactly, apart from each other, and touches nothing else in the server', async () => {
    await admin.mset('canary', CANARY, '{mesh2}:canary', CANARY, 'mesh', CANARY);
    const adapter = redisStorage({ url: server.url, prefix: 'mesh' });
    const store = await openStore(adapter, { validate: anything, clock: systemClock, random: systemRandom });
    const space = store.space('core');
    for (const text of HOSTILE) {
      await space.tx([words.ref(text)], (tx) => {
        tx.put(words.ref(text), { text, by: text });
        tx.append(lines, { text, by: text });
      });
    }
    for (const text of HOSTILE) {
      assert.deepEqual(await space.get(words.ref(text)), { text, by: text }, JSON.stringify(text));
      const found = await space.page(words, { index: 'by', prefix: [text], limit: 10 });
      assert.deepEqual(
        found.map(({ id }) => id),
        [text],
        JSON.stringify(text),
      );
      const posted = await space.page(lines, { after: 0, limit: 10, posting: text });
      assert.deepEqual(
        posted.map(({ record }) => record.text),
        [text],
        JSON.stringify(text),
      );
    }
    assert.equal(await space.count(words, 'by'), HOSTILE.length);
    for (const text of HOSTILE) await space.tx([words.ref(text)], (tx) => tx.del(words.ref(text)));
    assert.equal(await space.count(words, 'by'), 0);
    assert.deepEqual(await admin.mget('canary', '{mesh2}:canary', 'mesh'), [CANARY, CANARY, CANARY]);
    const others = (await admin.keys('*')).filter((key) => !key.startsWith('{mesh}'));
    assert.deepEqual(others.sort(), ['canary', 'mesh', '{mesh2}:canary'].sort());
    await store.close();
  });

  it('takes values as large as a node writes, and answers for larger ones without harm', async () => {
    const store = await openStore(redisStorage({ url: server.url, prefix: 'large' }), {
      validate: anything,
      clock: systemClock,
      random: systemRandom,
    });
    const space = store.space('core');
    for (const size of [64 * 1024, 1024 * 1024, 8 * 1024 * 1024]) {
      const value = { text: 'é"\\\n'.repeat(size / 8), by: 'large' };
      const problem = await space.put(words.ref(`${size}`), value).then(
        () => undefined,
        (error: Error & { fault?: string }) => error,
      );
      if (problem) assert.equal(problem.fault, 'too_large', problem.message);
      else assert.deepEqual(await space.get(words.ref(`${size}`)), value);
      await space.put(words.ref('small'), { text: 'small', by: 'small' });
    }
    await store.close();
  });
});

describeRedis('a node whose Redis is attacked', function () {
  this.timeout(120_000);
  let server: RedisServer;
  let admin: Redis;
  let mesh: Mesh<'node'>;

  before(async () => {
    server = await RedisServer.start();
    admin = new Redis(server.url);
    mesh = await startMesh({
      nodes: ['node'],
      own: { node: { storage: { use: 'redis', url: server.url, prefix: 'node' } } },
    });
  });
  after(async () => {
    await mesh.stop();
    admin.disconnect();
    await server.stop();
  });

  const cutOthers = () => admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  let proposals = 0;
  async function propose(size = 10) {
    const recipient = new TestAgent(`somebody ${proposals}`, Date.now, network).id;
    const body = { recipient, amount_usdc: '1', message: 'x'.repeat(size) };
    const answer = await mesh.nodes.node.call('POST', '/negotiate/propose', body);
    if (answer.status === 200) proposals += 1;
    return answer;
  }
  const ready = async () => {
    const { status, body } = await mesh.nodes.node.call('GET', '/ready');
    return { status, text: JSON.stringify(body) };
  };

  /** Whatever is wrong is said within seconds, changes nothing, and is over when it is over. */
  async function weathers(wrong: () => Promise<unknown>, says: RegExp, right: () => Promise<unknown>): Promise<void> {
    assert.equal((await propose()).status, 200);
    await wrong();
    try {
      for (let index = 0; index < 3; index += 1) {
        const begin = performance.now();
        const { status, body, headers } = await propose(3_000);
        assert.deepEqual([status, body.code], [503, 'storage_unavailable'], JSON.stringify(body));
        assert.ok(Number(headers.get('retry-after')) >= 1);
        assert.ok(performance.now() - begin < 15_000);
      }
      const { status, text } = await ready();
      assert.equal(status, 503, text);
      assert.match(text, says);
    } finally {
      await right();
    }
    await happens('it is ready again, though nobody wrote', async () => (await ready()).status === 200 || undefined);
    assert.equal((await propose()).status, 200);
    assert.equal((await mesh.nodes.node.client.deals({ limit: 200 })).deals.length, proposals);
  }

  it('stopped in its tracks: 503 in time, and it goes on when the server does', async () => {
    const [, pid] = /process_id:(\d+)/.exec(await admin.info('server'))!;
    await weathers(
      async () => process.kill(Number(pid), 'SIGSTOP'),
      /did not answer in time|cannot be reached|no connection|lost|waits|answer/,
      async () => process.kill(Number(pid), 'SIGCONT'),
    );
  });

  it('full: 503 with maxmemory named at /ready, and it goes on when there is room', async () => {
    const [, used] = /used_memory:(\d+)/.exec(await admin.info('memory'))!;
    await weathers(
      () => admin.config('SET', 'maxmemory', String(Math.floor(Number(used) / 2))),
      /maxmemory/,
      () => admin.config('SET', 'maxmemory', '0'),
    );
  });

  it('made a replica of somebody else: 503 that names it, and it goes on when it is the primary again', async () => {
    await weathers(
      () => admin.replicaof('127.0.0.1', 1),
      /read-only replica/,
      () => admin.replicaof('NO', 'ONE'),
    );
  });

  it('given another password: 503 that names it and no password, and it goes on when it is taken back', async () => {
    await weathers(
      async () => {
        await admin.config('SET', 'requirepass', 'sesame-4711');
        await cutOthers();
      },
      /password/,
      () => admin.config('SET', 'requirepass', ''),
    );
    assert.doesNotMatch((await ready()).text, /sesame/);
  });

  it('made to forget its scripts: nobody notices', async () => {
    for (let index = 0; index < 5; index += 1) {
      await admin.script('FLUSH');
      assert.equal((await propose()).status, 200);
    }
    assert.equal((await mesh.nodes.node.client.deals({ limit: 200 })).deals.length, proposals);
  });

  it('cut from all its clients again and again: nothing acknowledged is lost, nothing is there twice', async () => {
    const cutting = setInterval(() => void cutOthers(), 50);
    let unknown = 0;
    for (let index = 0; index < 60; index += 1) {
      const { status, body } = await propose();
      assert.ok(status === 200 || status === 503, JSON.stringify(body));
      if (status === 503) unknown += 1;
    }
    clearInterval(cutting);
    await happens('it is ready again', async () => (await ready()).status === 200 || undefined);
    const { length } = (await mesh.nodes.node.client.deals({ limit: 200 })).deals;
    assert.ok(length >= proposals && length <= proposals + unknown, `${length} deals, ${proposals}, ${unknown}`);
  });
});
