import assert from 'node:assert/strict';
import { fakeAgents, fakeBlobs, fakeHttp, fakePeers, testNode, value } from '../../adapters/testing.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { type Agents, Blobs, Http, Peers } from '../../core/services.ts';

const Price = typed<{ usd: number }>({ type: 'object', required: ['usd'], properties: { usd: { type: 'number' } } });
const Reply = typed<object>({ type: 'object' });

const shopper = definePlugin({
  name: 'shopper',
  api: '2.0',
  permissions: ['blobs', 'http:prices.example'],
  node: {
    uses: { http: Http, blobs: Blobs, peers: Peers },
    routes: { buy: route('GET /buy', { auth: 'open', reply: Reply, errors: ['upstream_failed'] }) },
    setup: ({ http, blobs, peers }) => ({
      routes: {
        async buy() {
          const { usd } = await http.json(Price, 'http://prices.example/tea');
          const { hash } = await blobs.put(Buffer.from(String(usd)));
          const read = Buffer.from((await blobs.get(hash))!).toString();
          return { usd, read, from: (await peers.page()).peers.map(({ name }) => name) };
        },
      },
    }),
  },
});

describe('the fakes of Peers, Agents, Blobs and Http', () => {
  it('stand in for the services in a plugin under test', async () => {
    const answers = [{ json: { usd: 2 } }, { json: { usd: 'two' } }, { status: 503 }];
    const http = fakeHttp(() => answers.shift() ?? {});
    const peers = fakePeers([{ id: 'b', name: 'Bob', capabilities: [], hub: false, seen: 0 }]);
    const services = [value(Http, http), value(Blobs, fakeBlobs()), value(Peers, peers)];
    const node = await testNode(shopper, { services });
    try {
      assert.deepEqual((await node.call('GET /buy')).body, { usd: 2, read: '2', from: ['Bob'] });
      assert.equal((await node.call('GET /buy')).body.code, 'upstream_failed');
      assert.equal((await node.call('GET /buy')).body.upstream_status, 503);
      assert.deepEqual(
        http.calls.map(({ url }) => url),
        Array(3).fill('http://prices.example/tea'),
      );
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
  });

  it('keep what the services promise', async () => {
    const blobs = fakeBlobs({ most: 8_192 });
    const [a, b] = [await blobs.put(Uint8Array.of(1)), await blobs.put(Uint8Array.of(2))];
    await assert.rejects(blobs.put(Uint8Array.of(3)), { code: 'payload_too_large' });
    const { blobs: first, next } = await blobs.page({ limit: 1 });
    const { blobs: rest } = await blobs.page({ limit: 1, after: next! });
    assert.deepEqual(
      [...first, ...rest].map(({ hash }) => hash),
      [a.hash, b.hash].sort(),
    );
    assert.deepEqual([await blobs.delete(a.hash), await blobs.get(a.hash)], [true, undefined]);

    const peers = fakePeers();
    const told: unknown[] = [];
    const leave = peers.follow((change) => told.push(change));
    const peer = { id: 'b', name: 'Bob', capabilities: ['ocr'], hub: false, seen: 1 };
    peers.set(peer, 'connected');
    leave();
    peers.set(peer, 'announced');
    assert.deepEqual([told, await peers.get('b')], [[{ kind: 'connected', id: 'b' }], peer]);

    const row = { hubs: [], score: 0, ratings: { positive: 0, neutral: 0, negative: 0 }, disputes: 0, firstSeen: 1 };
    const agents = fakeAgents([
      { ...row, id: 'a', name: 'Ada', capabilities: ['ocr'], country: 'GB', rank: 1, lastSeen: 9 },
      { ...row, id: 'c', name: 'Countess Ada', capabilities: [], rank: 2, lastSeen: 5, lastBeacon: 5 },
    ]);
    const ids = async (query: Parameters<Agents['page']>[0]) => (await agents.page(query)).agents.map(({ id }) => id);
    assert.deepEqual(await ids({ by: 'rank' }), ['c', 'a']);
    assert.deepEqual(await ids({ by: 'recent' }), ['a', 'c']);
    assert.deepEqual(await ids({ by: 'rank', country: 'gb', capability: 'OCR' }), ['a']);
    assert.deepEqual(await ids({ by: 'name', startsWith: 'ada' }), ['c', 'a']);
    assert.deepEqual(await ids({ by: 'beacon' }), ['c']);
    const page = await agents.page({ by: 'id', limit: 1 });
    assert.deepEqual(await ids({ by: 'id', cursor: page.next! }), ['c']);
  });
});
