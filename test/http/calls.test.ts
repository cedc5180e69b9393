import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { pinoLog } from '../../core/platform/pino-log.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, type TestNode, type TestNodeOptions, testNode } from '../support/node.ts';
import { shop } from '../support/shop.ts';

const bearer = { authorization: `Bearer ${SECRET}` };
const json = { ...bearer, 'content-type': 'application/json' };

describe('calls', () => {
  const running: TestNode[] = [];
  afterEach(async () => {
    for (const node of running.splice(0)) await node.stop();
  });

  async function open(options: TestNodeOptions = {}) {
    const { plugin, state } = shop();
    const node = await testNode({ plugins: [plugin], ...options });
    running.push(node);
    async function call(path: string, init: RequestInit = {}) {
      const response = await fetch(node.url + path, init);
      const text = await response.text();
      const json = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
      const body = json ? JSON.parse(text) : text;
      return { status: response.status, headers: response.headers, body };
    }
    const sell = (order: object, headers: Record<string, string> = {}) =>
      call('/shop/sell', { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(order) });
    return { node, state, call, sell };
  }

  /** `fetch` may not set Host; this may. */
  function withHost(
    node: TestNode,
    host: string,
    headers: Record<string, string> = {},
    method = 'GET',
    path = '/shop',
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      const call = request({ port: node.port, path, method, headers: { ...headers, host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      call.on('error', reject).end();
    });
  }

  describe('handlers', () => {
    it('get coerced queries, parameters and defaults, and set status and type', async () => {
      const { call, sell } = await open();
      assert.deepEqual((await call('/shop?offset=3')).body, { limit: 50, offset: 3 });
      assert.deepEqual((await call('/shop/items/a%2Fb%20c')).body, { item: 'a/b c' });
      const sold = await sell({ item: 'tea', count: 2 });
      assert.equal(sold.status, 201);
      assert.deepEqual(sold.body, { item: 'tea', count: 2, sale: 1, by: 'operator' });
      const closed = await call('/shop/close', { method: 'POST', headers: bearer });
      assert.deepEqual([closed.status, closed.body], [204, '']);
      const photo = await call('/shop/photo', { method: 'POST', body: 'png' });
      assert.deepEqual([photo.headers.get('content-type'), photo.body], ['image/png', 'png']);
    });

    it('prefer a literal segment over a parameter', async () => {
      const { call } = await open();
      assert.deepEqual((await call('/shop/items/special')).body, { special: true });
    });

    it('answer HEAD like GET without a body', async () => {
      const { call } = await open();
      const { status, headers, body } = await call('/shop', { method: 'HEAD' });
      assert.deepEqual([status, body], [200, '']);
      assert.ok(Number(headers.get('content-length')) > 0);
    });

    it('may answer with an error of their plugin', async () => {
      const { sell } = await open();
      const { status, body } = await sell({ item: 'unicorn', count: 1 });
      assert.equal(status, 409);
      assert.deepEqual([body.code, body.title, body.detail], ['sold_out', 'There is none left.', 'No unicorns.']);
    });

    it('whose store cannot take a write answer 503 and may be called again', async () => {
      const { sell } = await open();
      const { status, headers, body } = await sell({ item: 'disk', count: 1 });
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'storage_unavailable', '1']);
      assert.doesNotMatch(JSON.stringify(body), /secret/);
    });

    it('are told when the client goes away', async () => {
      const { node, state } = await open();
      const gone = new AbortController();
      const call = fetch(`${node.url}/shop/slow`, { signal: gone.signal });
      await eventually(() => state.entered === 1);
      gone.abort();
      await assert.rejects(call);
      await eventually(() => state.aborted === 1);
      assert.equal(state.aborted, 1);
    });
  });

  describe('guards', () => {
    it('open reads to the same machine, unless the operator asks otherwise', async () => {
      const { call } = await open();
      assert.deepEqual((await call('/shop/ledger')).body, { by: 'local' });
      assert.deepEqual((await call('/shop/ledger', { headers: bearer })).body, { by: 'operator' });
      assert.equal((await call('/shop/ledger', { headers: { authorization: 'Bearer wrong' } })).status, 401);
      const strict = await open({ settings: { api: { readAuth: true } } });
      assert.equal((await strict.call('/shop/ledger')).status, 401);
      assert.equal((await strict.call('/shop/ledger', { headers: bearer })).status, 200);
    });

    it('do not take a forwarded call for a local one', async () => {
      const { call } = await open();
      assert.equal((await call('/shop/ledger', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status, 401);
      const proxied = await open({ settings: { api: { trustProxy: 1 } } });
      assert.equal((await proxied.call('/shop/ledger', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status, 401);
    });

    it('open writes on loopback only when the operator says so', async () => {
      const { call } = await open({ settings: { api: { openLoopback: true } } });
      assert.equal((await call('/shop/close', { method: 'POST' })).status, 204);
    });

    it('do not take a page that has its own name lead here for a local caller', async () => {
      const evil = { host: 'evil.example:9190', origin: 'http://evil.example:9190' };
      const read = (node: TestNode, host: string) => withHost(node, host, {}, 'GET', '/shop/ledger');
      const { node } = await open({ settings: { listen: '0.0.0.0:0', api: { openLoopback: true } } });
      assert.equal(await withHost(node, evil.host), 200);
      assert.equal(await read(node, evil.host), 401);
      assert.equal(await withHost(node, evil.host, evil, 'POST', '/shop/close'), 401);
      for (const host of ['127.0.0.1', 'localhost:9190', '[::1]']) assert.equal(await read(node, host), 200);
      const named = await open({ settings: { listen: '0.0.0.0:0', api: { hosts: ['node.lan'] } } });
      assert.equal(await read(named.node, 'node.lan:9190'), 200);
      assert.equal(await read(named.node, evil.host), 421);
    });

    it('of plugins admit, refuse and forbid', async () => {
      const { call } = await open();
      assert.equal((await call('/shop/visit')).status, 401);
      assert.equal((await call('/shop/visit', { headers: { authorization: 'Bearer banned' } })).status, 403);
      assert.deepEqual((await call('/shop/visit', { headers: { authorization: 'Bearer ann' } })).body, {
        id: 'ann',
        query: {},
      });
    });

    it('take a token from the query only where they say so, and keep it from the handler', async () => {
      const { call } = await open();
      assert.deepEqual((await call('/shop/visit?token=ann&a=1')).body, { id: 'ann', query: { a: '1' } });
      assert.equal((await call(`/shop/close?token=${SECRET}`, { method: 'POST' })).status, 401);
    });

    it('bind a credential to a body', async () => {
      const { call } = await open();
      const body = '{"a":1}';
      const hash = createHash('sha256').update(body).digest('base64url');
      const headers = { 'content-type': 'application/json', authorization: 'Bearer ann', 'x-body-hash': hash };
      assert.equal((await call('/shop/signed', { method: 'POST', headers, body })).status, 200);
      assert.equal((await call('/shop/signed', { method: 'POST', headers, body: '{"a":2}' })).status, 401);
    });
  });

  describe('hosts and origins', () => {
    it('are checked against rebinding', async () => {
      const { node } = await open({ settings: { api: { publicUrl: 'https://node.example.org' } } });
      assert.equal(node.publicUrl, 'https://node.example.org');
      assert.equal(await withHost(node, `localhost:${node.port}`), 200);
      assert.equal(await withHost(node, '[::1]:80'), 200);
      assert.equal(await withHost(node, 'node.example.org'), 200);
      assert.equal(await withHost(node, 'evil.example'), 421);
      assert.equal(await withHost(node, '127.0.0.1.evil.example'), 421);
      assert.equal(await withHost(node, '[::1]evil.example'), 421);
    });

    it('refuse effects caused by pages of other sites', async () => {
      const { call, node } = await open();
      const post = (headers: Record<string, string>) =>
        call('/shop/rare', { method: 'POST', headers }).then(({ status }) => status);
      assert.equal(await post({ origin: 'https://evil.example' }), 403);
      assert.equal(await post({ origin: 'null' }), 403);
      assert.equal(await post({ 'sec-fetch-site': 'cross-site' }), 403);
      assert.equal(await post({ origin: node.url }), 200);
      assert.equal(
        (await call('/shop', { headers: { origin: 'https://evil.example' } })).headers.get(
          'access-control-allow-origin',
        ),
        null,
      );
    });

    it('let listed pages call', async () => {
      const origin = 'https://app.example.org';
      const { call } = await open({ settings: { api: { corsOrigins: [origin] } } });
      const answer = await call('/shop/rare', { method: 'POST', headers: { origin } });
      assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, origin]);
      assert.match(answer.headers.get('vary') ?? '', /Origin/);
      const preflight = { origin, 'access-control-request-method': 'POST' };
      const asked = await call('/shop/sell', { method: 'OPTIONS', headers: preflight });
      assert.equal(asked.status, 204);
      assert.match(asked.headers.get('access-control-allow-headers') ?? '', /authorization/);
      const stranger = { ...preflight, origin: 'https://evil.example' };
      assert.equal((await call('/shop/sell', { method: 'OPTIONS', headers: stranger })).status, 403);
    });
  });

  describe('limits', () => {
    it('count per address, say how much is left and when to retry', async () => {
      let now = 1_000_000;
      const { systemClock } = await import('../../core/platform/system-clock.ts');
      const { call } = await open({ clock: { ...systemClock, now: () => now } });
      const first = await call('/shop/rare', { method: 'POST' });
      assert.equal(first.headers.get('ratelimit'), '"default";r=2;t=20');
      assert.equal(first.headers.get('ratelimit-policy'), '"default";q=3;w=60');
      await call('/shop/rare', { method: 'POST' });
      await call('/shop/rare', { method: 'POST' });
      const refused = await call('/shop/rare', { method: 'POST' });
      assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited']);
      assert.equal(refused.headers.get('retry-after'), '20');
      now += 20_000;
      assert.equal((await call('/shop/rare', { method: 'POST' })).status, 200);
    });

    it('count per principal', async () => {
      const { call } = await open();
      const by = async (name: string) =>
        (await call('/shop/mine', { headers: { authorization: `Bearer ${name}` } })).status;
      assert.deepEqual([await by('ann'), await by('ann'), await by('ann'), await by('bob')], [200, 200, 429, 200]);
    });

    it('may hold for everything', async () => {
      const { call } = await open({ settings: { api: { limit: { rate: 2, window: 60 } } } });
      const statuses = [await call('/shop'), await call('/health'), await call('/shop')].map(({ status }) => status);
      assert.deepEqual(statuses, [200, 200, 429]);
    });

    it('believe as many proxies as the operator runs', async () => {
      const { call } = await open({ settings: { api: { trustProxy: 1 } } });
      const from = async (chain: string) =>
        (await call('/shop/rare', { method: 'POST', headers: { 'x-forwarded-for': chain } })).status;
      for (let i = 0; i < 3; i++) assert.equal(await from(`9.9.9.${i}, 1.1.1.1`), 200);
      assert.equal(await from('8.8.8.8, 1.1.1.1'), 429);
      assert.equal(await from('1.1.1.1, 2.2.2.2'), 200);
    });
  });

  it('leave no credentials or query strings in the log', async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const { call } = await open({ log: pinoLog('debug', { write }) });
    await call('/shop/visit?token=very-secret-token&a=hidden');
    await call('/shop/broken?token=very-secret-token', { headers: { authorization: 'Bearer very-secret-token' } });
    await call('/nope?token=very-secret-token');
    assert.ok(lines.some((line) => line.includes('a call failed')));
    assert.ok(lines.some((line) => line.includes('GET /shop/visit')));
    assert.doesNotMatch(lines.join(''), /very-secret-token|hidden/);
    assert.doesNotMatch(lines.join(''), new RegExp(SECRET));
  });

  it('are counted by route and status, never by what callers sent', async () => {
    const { call } = await open();
    await call('/shop/items/secret-name');
    await call('/nope/secret-name');
    const { body } = await call('/metrics');
    assert.match(body, /mesh_http_requests_total\{route="GET \/shop\/items\/:item",status="200"\} 1/);
    assert.match(body, /mesh_http_requests_total\{route="unmatched",status="404"\} 1/);
    assert.doesNotMatch(body, /secret-name/);
  });
});
