import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { ScoreWatch } from '../../core/node/score-watch.ts';
import { NodeEvents } from '../../core/node/services/node-events.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import { VirtualClock } from '../mesh/virtual-clock.ts';
import { happens } from '../support/happens.ts';
import { nodeSpace } from '../support/space.ts';

/** As much as a sentence about an aggregator has, several times over. */
const MOST = 8_000;

describe('an aggregator that means harm', function () {
  this.timeout(60_000);
  let folder = '';
  let node: RunningNode | undefined;
  let said: string[] = [];
  const servers: Server[] = [];
  const log: Log = {
    ...silentLog,
    warn: (fields, text) => void said.push(JSON.stringify([fields, text])),
    child: () => log,
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    said = [];
  });
  afterEach(async () => {
    await node?.stop();
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function serving(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** What a node that reports to it says at /ready, once it has looked. */
  async function readyWith(mesh: object): Promise<string> {
    const value = { listen: '127.0.0.1:0', dataDir: join(folder, 'data'), storage: { use: 'memory' }, mesh };
    node = await startNode({ parts: { adapters, plugins: {} }, log, config: { value } });
    return happens('the node has looked', async () => {
      const text = await (await fetch(`${node!.url}/ready`)).text();
      const { aggregators, mesh: hubs } = JSON.parse(text).services;
      return aggregators.detail !== undefined && hubs.detail !== undefined ? text : undefined;
    });
  }

  it('does not lead a node to another address, nor have it repeat what stands there', async () => {
    const inside: string[] = [];
    const secret = await serving(({ method, url }, response) => {
      inside.push(`${method} ${url}`);
      response.end(JSON.stringify({ network_id: 'only-for-those-inside' }));
    });
    for (const status of [302, 307, 308]) {
      const url = await serving((request, response) => {
        request.resume();
        response.writeHead(status, { location: `${secret}/metadata` }).end();
      });
      const text = await readyWith({ aggregators: [url] });
      const { aggregators } = JSON.parse(text).services;
      assert.match(
        aggregators.detail,
        /is away: the server sends callers to http:\/\/127\.0\.0\.1:\d+\/metadata, and the client follows nowhere/,
      );
      assert.ok(!text.includes('only-for-those-inside'));
      await fetch(`${node!.url}/advertise`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node!.apiSecret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ description: 'Something to report.' }),
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(inside, [], `status ${status}`);
      await node!.stop();
    }
  });

  it('does not fill /ready and the log with what it answers', async () => {
    const long = 'A'.repeat(50_000);
    const answers: [number, unknown][] = [
      [200, { network_id: [long.repeat(20)] }],
      [200, { network_id: { a: long } }],
      [200, { network_id: 'x', genesis_hash: long }],
      [200, null],
      [500, { detail: long }],
      [500, { detail: [long] }],
      [503, { title: `${long}\n00:00:00.000 info  all is well` }],
    ];
    for (const [status, body] of answers) {
      const url = await serving((request, response) => {
        request.resume();
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
      said = [];
      const text = await readyWith({ aggregators: [url] });
      assert.ok(text.length < MOST, `${text.length} characters`);
      assert.doesNotMatch(JSON.parse(text).services.aggregators.detail, /\n/);
      assert.ok(said.length > 0 && said.every((line) => line.length < MOST));
      await node!.stop();
    }
  });
});

describe('an aggregator that makes up scores', () => {
  it('is passed over when its answer is no score, and whoever watches is told nothing of it', async () => {
    const clock = new VirtualClock();
    const told: object[] = [];
    const events = new NodeEvents(clock);
    events.watch(({ values }) => void told.push(...values.map(({ data }) => data)));
    const as_of = new Date(0).toISOString();
    const long = 'A'.repeat(1_000_000);
    const answers: unknown[] = [
      ...[
        { score: 1, as_of },
        { score: long, as_of },
        { score: { a: long }, as_of },
        { score: 2, as_of: long },
      ],
      ...[{ score: 1e308, as_of }, { score: 0.5, as_of }, { score: null, as_of }, null, [], { score: 3 }],
      { score: 4, as_of },
    ];
    const left = [...answers];
    const aggregator = { reputation: async () => left.shift() as never };
    const space = await nodeSpace(clock);
    const watch = new ScoreWatch({ space, events, aggregators: [aggregator], clock, self: 'alice' });
    const end = watch.watch();
    for (let look = 0; look < answers.length; look += 1) {
      await happens('it has looked', async () => left.length < answers.length - look || undefined);
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(10_000);
    }
    end();
    assert.deepEqual(told, [{ score: 4, before: 1, as_of }]);
  });
});

describe('what anybody may read of a node', function () {
  this.timeout(60_000);

  it('names aggregators and hubs without the credentials in their URLs', async () => {
    const said: string[] = [];
    const log: Log = {
      ...silentLog,
      warn: (fields, text) => void said.push(JSON.stringify([fields, text])),
      child: () => log,
    };
    const aggregators = ['http://127.0.0.1:1/?key=geheim'];
    const hubs = ['ws://ann:geheim@127.0.0.1:1/?key=geheim'];
    const value = { listen: '127.0.0.1:0', storage: { use: 'memory' }, mesh: { aggregators, hubs } };
    const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    const node = await startNode({
      parts: { adapters, plugins: {} },
      log,
      config: { value: { ...value, dataDir: join(folder, 'data') } },
    });
    try {
      const text = await happens('both are missed', async () => {
        const found = await (await fetch(`${node.url}/ready`)).text();
        const { aggregators: away, mesh } = JSON.parse(found).services;
        return away.detail !== undefined && mesh.detail !== undefined ? found : undefined;
      });
      assert.match(text, /127\.0\.0\.1:1/);
      for (const one of [text, ...said]) assert.ok(!one.includes('geheim'), one);
    } finally {
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
