import assert from 'node:assert/strict';
import { BootError } from '../../core/host/boot/boot-node.ts';
import {
  answer,
  definePlugin,
  type Endpoint,
  events,
  MeshError,
  redirect,
  route,
  stream,
  typed,
} from '../../core/plugin.ts';
import { type TestNode, testNode } from '../support/node.ts';
import { rawExchange } from '../support/raw-http.ts';

const Payment = typed<string>({
  type: 'string',
  description: 'What was paid.',
  pattern: '^[a-z0-9]{4,16}$',
  examples: ['abcd'],
});
const Free = typed<string>({ type: 'string' });
const Seen = typed<Record<string, unknown>>({ type: 'object', additionalProperties: true });

const UPGRADE =
  'GET /ws/guarded HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

let ran = 0;
const plugin = definePlugin({
  name: 'heads',
  api: '2.0',
  node: {
    routes: {
      pay: route('POST /pay', {
        auth: 'open',
        headers: { 'x-payment': Payment, 'x-tenant': { required: Free } },
        replyHeaders: { 'x-receipt': Payment },
        reply: Seen,
        idempotency: true,
      }),
      plain: route('GET /plain', { auth: 'open', reply: Seen }),
      undeclared: route('GET /undeclared', { auth: 'open', reply: Seen }),
      early: route('GET /early', { auth: 'open', reply: Seen, statuses: [202] }),
      teapot: route('GET /teapot', { auth: 'open', reply: Seen }),
      wrong: route('GET /wrong', { auth: 'open', reply: Seen, replyHeaders: { 'x-receipt': Payment } }),
      refused: route('GET /refused', { auth: 'open', reply: Seen, replyHeaders: { 'x-receipt': Payment } }),
      loud: route('GET /loud', { auth: 'open', reply: Seen }),
      torn: route('GET /torn', { auth: 'open', reply: Seen, replyHeaders: { 'x-receipt': Free } }),
      split: route('GET /split', { auth: 'open', reply: Seen, replyHeaders: { 'x-receipt': Free } }),
      go: route('GET /go', {
        auth: 'open',
        query: typed<{ to: string; status?: number }>({
          type: 'object',
          required: ['to'],
          properties: { to: { type: 'string' }, status: { type: 'integer' } },
        }),
        reply: Seen,
        redirects: { 303: ['/notes/', '/home'], 308: ['https://pay.example/checkout/', 'https://one.example/a?b=c'] },
      }),
      anywhere: route('GET /anywhere', {
        auth: 'open',
        query: typed<{ to: string }>({ type: 'object', properties: { to: { type: 'string' } } }),
        redirects: { 303: ['/'] },
      }),
      held: route('GET /held', { auth: 'keeper', reply: Seen, replyHeaders: { 'x-receipt': Payment } }),
      guarded: stream('/ws/guarded', { auth: 'keeper', frame: Seen }),
      early_refusal: route('GET /early-refusal', { auth: 'open', reply: Seen }),
      frames: stream('/ws/heads', { auth: 'open', headers: { 'x-tenant': Free }, frame: Seen }),
      events: events('/heads', { auth: 'open', headers: { 'x-tenant': Free }, frame: Seen }),
    },
    guards: { keeper: { summary: 'Nobody.', scheme: { type: 'http', scheme: 'bearer' } } },
    setup: () => ({
      guards: {
        keeper({ headers }) {
          const value = headers['x-value'] ?? 'none';
          const told = headers['x-torn'] === undefined ? value : 'a\r\nx-evil: b';
          throw new MeshError('forbidden', { headers: { [headers['x-name'] ?? 'x-receipt']: told } });
        },
      },
      preconditions: {
        early_refusal() {
          throw new MeshError('conflict', { headers: { 'set-cookie': 'a=b' } });
        },
      },
      routes: {
        held: () => ({}),
        early_refusal: () => ({}),
        async *guarded() {},
        pay({ headers }) {
          ran += 1;
          return answer({ ...headers, ran }, { headers: { 'X-Receipt': 'done' } });
        },
        refused() {
          const headers = { 'X-Receipt': 'none', 'content-type': 'text/html' };
          throw new MeshError('rate_limited', { retryAfter: 7, headers });
        },
        loud() {
          throw new MeshError('conflict', { headers: { 'set-cookie': 'a=b', 'x-receipt': 'none' } });
        },
        torn() {
          throw new MeshError('conflict', { headers: { 'x-receipt': 'a\r\nx-evil: b' } });
        },
        plain: (call) => ({ headers: Object.keys(call.headers) }),
        undeclared: () => answer({}, { headers: { 'x-secret-path': '/etc' } }),
        early: () => answer({}, { status: 202 }),
        teapot: () => answer({}, { status: 418 }),
        wrong: () => answer({}, { headers: { 'x-receipt': 'A B' } }),
        split: () => answer({}, { headers: { 'x-receipt': 'a\r\nset-cookie: b=c' } }),
        go: ({ query }) => redirect(query.to, (query.status ?? 303) as 303),
        anywhere: ({ query }) => redirect(query.to),
        async *frames({ headers }) {
          yield headers;
        },
        async *events({ headers }) {
          yield headers;
        },
      },
    }),
  },
});

describe('declared headers', () => {
  let node: TestNode;
  let production: TestNode;
  before(async () => {
    node = await testNode({ plugins: [plugin], settings: { api: { corsOrigins: ['https://app.example'] } } });
    production = await testNode({ plugins: [plugin], env: { NODE_ENV: 'production' } });
  });
  after(async () => {
    await node.stop();
    await production.stop();
  });

  const pay = (headers: Record<string, string>) => fetch(`${node.url}/pay`, { method: 'POST', headers });

  it('reach the handler by their lower-case names, and no others do', async () => {
    const response = await pay({ 'X-Payment': 'abcd', 'X-Tenant': 'one', 'x-other': 'no', authorization: 'Bearer x' });
    const { ran: _, ...seen } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(seen, { 'x-payment': 'abcd', 'x-tenant': 'one' });
    assert.equal(response.headers.get('x-receipt'), 'done');
    const plain = await (await fetch(`${node.url}/plain`, { headers: { 'x-payment': 'abcd', cookie: 'a=b' } })).json();
    assert.deepEqual(plain, { headers: [] });
  });

  it('are refused by name when they do not fit or are missing', async () => {
    for (const [headers, message] of [
      [{ 'x-tenant': 'a', 'x-payment': 'NO!' }, /^the x-payment header has the wrong form/],
      [{ 'x-tenant': 'a', 'x-payment': 'a'.repeat(8_000) }, /^the x-payment header has the wrong form/],
      [{ 'x-payment': 'abcd' }, /^the x-tenant header is required/],
    ] as const) {
      const response = await pay(headers);
      const { code, fields } = (await response.json()) as any;
      assert.deepEqual([response.status, code], [400, 'invalid_request']);
      assert.match(fields[0].message, message);
    }
    const split = 'POST /pay HTTP/1.1\r\nHost: localhost\r\nx-tenant: a\rb\r\nConnection: close\r\n\r\n';
    assert.match(await rawExchange(node.port, split), /^HTTP\/1\.1 400 /);
    const twice = 'POST /pay HTTP/1.1\r\nHost: localhost\r\nx-tenant: a\r\nx-tenant: b\r\nConnection: close\r\n\r\n';
    assert.match(await rawExchange(node.port, twice), /"x-tenant":"a, b"/);
  });

  it('belong to what a repeated call must say again', async () => {
    const first = await pay({ 'x-tenant': 'one', 'idempotency-key': 'k' });
    const again = await pay({ 'x-tenant': 'one', 'idempotency-key': 'k' });
    assert.deepEqual(await first.json(), await again.json());
    assert.deepEqual([again.headers.get('idempotency-replayed'), again.headers.get('x-receipt')], ['true', 'done']);
    assert.equal((await pay({ 'x-tenant': 'two', 'idempotency-key': 'k' })).status, 422);
  });

  it('of answers are a fault in development when they are not declared, and left out in production', async () => {
    for (const path of ['/undeclared', '/wrong', '/split']) {
      const response = await fetch(node.url + path);
      assert.deepEqual([response.status, response.headers.get('set-cookie')], [500, null], path);
    }
    const response = await fetch(`${production.url}/undeclared`);
    assert.deepEqual([response.status, response.headers.get('x-secret-path')], [200, null]);
    assert.equal((await fetch(`${production.url}/split`)).status, 500);
  });

  it("of a handler's refusal are those that its route declares, with Retry-After beside them", async () => {
    for (const one of [node, production]) {
      const refused = await fetch(`${one.url}/refused`);
      const { code } = (await refused.json()) as any;
      const told = ['x-receipt', 'retry-after', 'content-type'].map((name) => refused.headers.get(name));
      assert.deepEqual([refused.status, code], [429, 'rate_limited']);
      assert.deepEqual(told, ['none', '7', 'application/problem+json; charset=utf-8']);
      const torn = await fetch(`${one.url}/torn`);
      assert.deepEqual([torn.status, torn.headers.get('x-evil')], [500, null]);
      const loud = await fetch(`${one.url}/loud`);
      const heard = [loud.headers.get('set-cookie'), loud.headers.get('x-receipt')];
      assert.deepEqual([loud.status, ...heard], [one === node ? 500 : 409, null, null]);
    }
  });

  it("of a guard's or a precondition's refusal are those that the route declares", async () => {
    for (const one of [node, production]) {
      const undeclared = one === node ? 500 : 403;
      const declared = await fetch(`${one.url}/held`);
      assert.deepEqual([declared.status, declared.headers.get('x-receipt')], [403, 'none']);
      const other = await fetch(`${one.url}/held`, { headers: { 'x-name': 'set-cookie' } });
      assert.deepEqual([other.status, other.headers.get('set-cookie')], [undeclared, null]);
      const torn = await fetch(`${one.url}/held`, { headers: { 'x-torn': '1' } });
      assert.deepEqual([torn.status, torn.headers.get('x-evil')], [500, null]);
      const early = await fetch(`${one.url}/early-refusal`);
      assert.deepEqual([early.status, early.headers.get('set-cookie')], [one === node ? 500 : 409, null]);
      for (const [more, status] of [
        ['', undeclared],
        ['x-torn: 1\r\n', 500],
      ] as const) {
        const head = await rawExchange(one.port, `${UPGRADE}${more}\r\n`);
        assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
        assert.doesNotMatch(head, /x-evil|x-receipt/);
      }
    }
  });

  it('stand beside a status that the route declares; another one is a fault in development', async () => {
    const status = async (one: TestNode, path: string) => (await fetch(one.url + path)).status;
    assert.deepEqual([await status(node, '/early'), await status(node, '/teapot')], [202, 500]);
    assert.deepEqual([await status(production, '/early'), await status(production, '/teapot')], [202, 418]);
  });

  it('are documented, and told to pages of other origins', async () => {
    const { paths } = (await (await fetch(`${node.url}/openapi.json`)).json()) as any;
    const { post } = paths['/pay'];
    const headers = post.parameters.filter((one: any) => one.in === 'header');
    assert.deepEqual(
      headers.map(({ name, required }: any) => [name, required]),
      [
        ['x-payment', false],
        ['x-tenant', true],
        ['Idempotency-Key', false],
      ],
    );
    assert.equal(headers[0].description, 'What was paid.');
    assert.equal(post.responses[200].headers['x-receipt'].example, 'abcd');
    assert.deepEqual(Object.keys(paths['/go'].get.responses).slice(0, 3), ['200', '303', '308']);
    const preflight = await fetch(`${node.url}/pay`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /, x-payment, x-tenant$/);
    assert.match(preflight.headers.get('access-control-expose-headers') ?? '', /, x-receipt$/);
  });
});

describe('redirects', () => {
  let node: TestNode;
  before(async () => {
    node = await testNode({ plugins: [plugin], env: { NODE_ENV: 'production' } });
  });
  after(() => node.stop());

  const go = async (to: string, status = 303) => {
    const query = new URLSearchParams({ to, status: String(status) });
    const response = await fetch(`${node.url}/go?${query}`, { redirect: 'manual' });
    return [response.status, response.headers.get('location')];
  };

  it('lead to targets that the route declares', async () => {
    assert.deepEqual(await go('/notes/7?x=1'), [303, '/notes/7?x=1']);
    assert.deepEqual(await go('/home'), [303, '/home']);
    assert.deepEqual(await go('https://pay.example/checkout/a b', 308), [308, 'https://pay.example/checkout/a%20b']);
    assert.deepEqual(await go('https://one.example/a?b=c', 308), [308, 'https://one.example/a?b=c']);
  });

  it('lead nowhere else', async () => {
    for (const [to, status] of [
      ['/elsewhere', 303],
      ['/home/x', 303],
      ['/home?x', 303],
      ['/notes/../admin', 303],
      ['/notes/%2e%2e/admin', 303],
      ['/notes/\\..\\..\\admin', 303],
      ['//evil.example/notes/', 303],
      ['/\\evil.example/notes/', 303],
      ['/\t/evil.example/notes/', 303],
      ['https://evil.example/checkout/', 308],
      ['https://pay.example.evil.example/checkout/', 308],
      ['https://pay.example@evil.example/checkout/', 308],
      ['https://ann:x@pay.example/checkout/', 308],
      ['http://pay.example/checkout/', 308],
      ['javascript:alert(1)', 303],
      ['notes/7', 303],
      ['', 303],
      ['/notes/7', 308],
      ['https://pay.example/checkout/', 303],
      ['/notes/7', 301],
    ] as const) {
      assert.deepEqual(await go(to, status), [500, null], `${status} ${to}`);
    }
  });

  it('never lead to another host from a route that allows every path of its own', async () => {
    const anywhere = async (to: string) => {
      const response = await fetch(`${node.url}/anywhere?${new URLSearchParams({ to })}`, { redirect: 'manual' });
      return [response.status, response.headers.get('location')];
    };
    assert.deepEqual(await anywhere('/notes/7'), [303, '/notes/7']);
    for (const to of ['/.//evil.example/', '/./\\evil.example/', '/x/..//evil.example/', '/%2e//evil.example/']) {
      assert.deepEqual(await anywhere(to), [500, null], to);
    }
  });

  it('carry no line break into the head', async () => {
    assert.deepEqual(await go('/notes/7\r\nset-cookie: a=b'), [303, '/notes/7set-cookie:%20a=b']);
  });
});

describe('declarations of headers and redirects that cannot be', () => {
  const faults: [string, Endpoint, RegExp][] = [
    ['authorization', route('GET /x', { auth: 'open', headers: { authorization: Free } }), /never reaches a handler/],
    ['cookie', route('GET /x', { auth: 'open', headers: { cookie: Free } }), /never reaches a handler/],
    [
      'capitals',
      route('GET /x', { auth: 'open', headers: { 'X-Payment': Free } }),
      /"X-Payment" is no name of a header in lower case; write "x-payment"/,
    ],
    ['a line break', route('GET /x', { auth: 'open', headers: { 'x-a\r\nb': Free } }), /no name of a header/],
    ['a cookie set', route('GET /x', { auth: 'open', replyHeaders: { 'set-cookie': Free } }), /is set by core/],
    ['a location', route('GET /x', { auth: 'open', replyHeaders: { location: Free } }), /is set by a redirect/],
    ['http', route('GET /x', { auth: 'open', redirects: { 302: ['http://a.example/'] } }), /nor an https URL/],
    ['another host', route('GET /x', { auth: 'open', redirects: { 302: ['//a.example/'] } }), /nor an https URL/],
    [
      'no slash',
      route('GET /x', { auth: 'open', redirects: { 302: ['https://a.example'] } }),
      /write https:\/\/a\.example\//,
    ],
    [
      'a broken contract',
      route('GET /x', { auth: 'open', headers: { 'x-a': typed({ type: 'nope' }) } }),
      /its header x-a cannot be used/,
    ],
    ['a price that nobody asks for', route('GET /x', { auth: 'open', price: '0.01' }), /needs auth: 'x402'/],
    ['a sale without a price', route('GET /x', { auth: 'x402' }), /its price is decimal USDC/],
    ['a price of nothing', route('GET /x', { auth: 'x402', price: '0' }), /its price is decimal USDC/],
    ['a price above the most', route('GET /x', { auth: 'x402', price: '10.000001' }), /its price is decimal USDC/],
    ['a price with an exponent', route('GET /x', { auth: 'x402', price: '1e-2' }), /its price is decimal USDC/],
    [
      'a sale with a key',
      route('POST /x', { auth: 'x402', price: '0.01', idempotency: true }),
      /takes no idempotency key/,
    ],
    ['a sale of a stream', route('POST /x', { auth: 'x402', price: '0.01', body: 'stream' }), /cannot be a stream/],
  ];
  for (const [name, endpoint, message] of faults) {
    it(`are refused at boot: ${name}`, async () => {
      const wrong = definePlugin({
        name: 'wrong',
        api: '2.0',
        node: { routes: { one: endpoint }, setup: () => ({ routes: { one: () => {} } }) },
      });
      await assert.rejects(testNode({ plugins: [wrong] }), (error) => {
        assert.ok(error instanceof BootError);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});
