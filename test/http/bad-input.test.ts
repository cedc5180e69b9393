import assert from 'node:assert/strict';
import { impatient } from '../support/impatient.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';
import { rawExchange } from '../support/raw-http.ts';
import { shop } from '../support/shop.ts';

describe('bad input', () => {
  let node: TestNode;
  const { plugin, state } = shop();
  before(async () => {
    node = await testNode({ plugins: [plugin] });
  });
  after(() => node.stop());

  async function call(path: string, init: RequestInit = {}) {
    const response = await fetch(node.url + path, init);
    const type = response.headers.get('content-type') ?? '';
    return {
      response,
      status: response.status,
      type,
      body: type.includes('json') ? ((await response.json()) as any) : null,
    };
  }
  const json = { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` };
  const order = JSON.stringify({ item: 'tea', count: 1 });

  interface Case {
    readonly name: string;
    readonly path: string;
    readonly init?: RequestInit;
    readonly status: number;
    readonly code: string;
    readonly pointer?: string;
  }
  const post = (body: string | Uint8Array | Blob, headers: Record<string, string> = json) => ({
    method: 'POST',
    body,
    headers,
  });
  const invalid = { status: 400, code: 'invalid_request' };
  const cases: Case[] = [
    { name: 'malformed JSON', path: '/shop/sell', init: post('{"item":'), ...invalid, pointer: '' },
    { name: 'invalid UTF-8', path: '/shop/sell', init: post(Buffer.from([0x22, 0xff, 0x22])), ...invalid, pointer: '' },
    { name: 'JSON that is no object', path: '/shop/sell', init: post('[]'), ...invalid, pointer: '' },
    { name: 'JSON null', path: '/shop/sell', init: post('null'), ...invalid, pointer: '' },
    { name: 'an empty body', path: '/shop/sell', init: post(''), ...invalid, pointer: '/item' },
    {
      name: 'a wrong type',
      path: '/shop/sell',
      init: post('{"item":"tea","count":"1"}'),
      ...invalid,
      pointer: '/count',
    },
    {
      name: 'a number out of range',
      path: '/shop/sell',
      init: post('{"item":"tea","count":0}'),
      ...invalid,
      pointer: '/count',
    },
    {
      name: 'a field twice',
      path: '/shop/sell',
      init: post('{"item":"t","count":1,"count":2}'),
      ...invalid,
      pointer: '/count',
    },
    {
      name: 'a deeply nested body',
      path: '/shop/sell',
      init: post('['.repeat(30_000) + ']'.repeat(30_000)),
      ...invalid,
    },
    {
      name: 'no content type',
      path: '/shop/sell',
      init: post(new Blob([order]), { authorization: `Bearer ${SECRET}` }),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'a form',
      path: '/shop/sell',
      init: post('item=tea', { ...json, 'content-type': 'application/x-www-form-urlencoded' }),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'another charset',
      path: '/shop/sell',
      init: post(order, { ...json, 'content-type': 'application/json; charset=utf-16' }),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'a compressed body',
      path: '/shop/sell',
      init: post(order, { ...json, 'content-encoding': 'gzip' }),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      name: 'an oversize body',
      path: '/shop/sell',
      init: post(`"${'x'.repeat(70_000)}"`),
      status: 413,
      code: 'payload_too_large',
    },
    {
      name: 'oversize bytes',
      path: '/shop/photo',
      init: post('x'.repeat(1001), {}),
      status: 413,
      code: 'payload_too_large',
    },
    { name: 'a query out of range', path: '/shop?limit=0', ...invalid, pointer: '/limit' },
    { name: 'a query of a wrong type', path: '/shop?limit=ten', ...invalid, pointer: '/limit' },
    { name: 'an empty query value', path: '/shop?limit=', ...invalid, pointer: '/limit' },
    { name: 'a query value given twice', path: '/shop?offset=1&offset=2', ...invalid, pointer: '/offset' },
    { name: 'a negative offset', path: '/shop?offset=-1', ...invalid, pointer: '/offset' },
    { name: 'a malformed escape in the path', path: '/shop/items/%zz', ...invalid },
    { name: 'a truncated escape in the query', path: '/shop?limit=%e', ...invalid },
    { name: 'an escape that is no UTF-8', path: '/shop/items/%ff', ...invalid },
    { name: 'an id of a wrong form', path: '/shop/agents/0OIl', ...invalid, pointer: '/agent_id' },
    { name: 'a very long parameter', path: `/shop/items/${'x'.repeat(257)}`, ...invalid, pointer: '/item' },
    { name: 'an unknown path', path: '/nothing/here', status: 404, code: 'not_found' },
    { name: 'an unknown path below a known one', path: '/shop/agents', status: 404, code: 'not_found' },
    { name: 'an unknown schema file', path: '/schemas/nope.json', status: 404, code: 'not_found', pointer: '/file' },
    { name: 'a wrong method', path: '/shop/sell', status: 405, code: 'method_not_allowed' },
    {
      name: 'no credential',
      path: '/shop/sell',
      init: post(order, { 'content-type': 'application/json' }),
      status: 401,
      code: 'unauthorized',
    },
    {
      name: 'a wrong credential',
      path: '/shop/sell',
      init: post(order, { ...json, authorization: 'Bearer nope' }),
      status: 401,
      code: 'unauthorized',
    },
    {
      name: 'another scheme of credential',
      path: '/shop/sell',
      init: post(order, { ...json, authorization: `Basic ${SECRET}` }),
      status: 401,
      code: 'unauthorized',
    },
    {
      name: 'a malformed idempotency key',
      path: '/shop/sell',
      init: post(order, { ...json, 'idempotency-key': 'x'.repeat(256) }),
      ...invalid,
    },
  ];
  for (const { name, path, init, status, code, pointer } of cases) {
    it(`answers ${name} with ${status} ${code}`, async () => {
      const answer = await call(path, init);
      assert.equal(answer.status, status);
      assert.match(answer.type, /^application\/problem\+json/);
      assert.equal(answer.body.code, code);
      assert.equal(answer.body.error, code);
      assert.equal(answer.body.type, `urn:agent-mesh:error:${code}`);
      assert.equal(answer.body.status, status);
      assert.ok(answer.body.title.length > 0);
      assert.equal(answer.body.instance, path.split('?')[0]);
      assert.match(answer.response.headers.get('x-request-id') ?? '', /^[\w-]+$/);
      if (pointer !== undefined) assert.equal(answer.body.fields[0].pointer, pointer);
      assert.equal(state.sales, 0);
    });
  }

  it('lists the methods of a path with 405', async () => {
    const { response, body } = await call('/shop/sell', { method: 'PUT', headers: { origin: node.url } });
    assert.equal(response.headers.get('allow'), 'POST');
    assert.deepEqual(body.allow, ['POST']);
    assert.equal((await call('/shop', { method: 'OPTIONS' })).response.headers.get('allow'), 'GET, HEAD');
  });

  it('asks for a credential in the way HTTP does', async () => {
    const { response } = await call('/shop/close', { method: 'POST' });
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
  });

  it('answers a body without an announced length that grows too large', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const head = `POST /shop/sell HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRET}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    assert.match(await rawExchange(node.port, head + chunk + chunk), /^HTTP\/1\.1 413 /);
  });

  /** A body in pieces of so many bytes. */
  function pieces(body: string, length: number): string {
    const head = `POST /shop/sell HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRET}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const chunks = Array.from({ length: Math.ceil(body.length / length) }, (_, index) => {
      const piece = body.slice(index * length, (index + 1) * length);
      return `${piece.length.toString(16)}\r\n${piece}\r\n`;
    });
    return `${head}${chunks.join('')}0\r\n\r\n`;
  }

  it('puts together a body that comes in pieces, but not one that comes in crumbs', async () => {
    for (const length of [1, 7, 1_000]) {
      const long = `{"item":"tea","count":0${' '.repeat(7_000)}}`;
      assert.match(await rawExchange(node.port, pieces(long, length)), /^HTTP\/1\.1 400 [\s\S]*"pointer":"\/count"/);
    }
    const crumbs = pieces(`{"item":"tea","count":0${' '.repeat(9_000)}}`, 1);
    assert.match(await rawExchange(node.port, crumbs), /^HTTP\/1\.1 400 [\s\S]*too many pieces/);
    assert.equal(state.sales, 0);
  });

  it('tells only the first problem of a large body: there may be one for every two bytes', async () => {
    const count = async (fields: number) => {
      const wrong = { marks: Array(fields).fill('x') };
      return (await call('/shop/sell', post(JSON.stringify(wrong)))).body.fields.length;
    };
    assert.deepEqual([await count(5), await count(50), await count(5_000)], [7, 20, 1]);
  });

  it('reads a parameter that is given thousands of times in no time', async () => {
    const began = performance.now();
    for (let round = 0; round < 10; round++) assert.equal((await call(`/shop?${'offset&'.repeat(2_000)}`)).status, 400);
    assert.ok(performance.now() - began < 1_000);
  });

  it('answers a body that stops arriving with 408', async () => {
    const { plugin: other } = shop();
    const hasty = await testNode({ plugins: [other], clock: impatient });
    const head = `POST /shop/sell HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SECRET}\r\nContent-Length: 10\r\n\r\n{`;
    const answer = await rawExchange(hasty.port, head);
    await hasty.stop();
    assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*urn:agent-mesh:error:request_timeout/);
  });

  it('answers bytes that are no HTTP', async () => {
    assert.match(
      await rawExchange(node.port, 'HELLO THERE\r\n\r\n'),
      /^HTTP\/1\.1 400 [\s\S]*urn:agent-mesh:error:invalid_request/,
    );
    const huge = `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`;
    assert.match(await rawExchange(node.port, huge), /^HTTP\/1\.1 431 [\s\S]*headers_too_large/);
  });

  it('refuses a target that is no path', async () => {
    assert.match(
      await rawExchange(node.port, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 /,
    );
  });

  it('hides what went wrong inside, and does not lose the connection over it', async () => {
    const { status, body } = await call('/shop/broken');
    assert.equal(status, 500);
    assert.equal(body.code, 'internal');
    assert.doesNotMatch(JSON.stringify(body), /1234/);
    assert.equal((await call('/shop')).status, 200);
  });

  it('does not send a reply that breaks its contract', async () => {
    const { status, body } = await call('/shop/liar');
    assert.equal(status, 500);
    assert.equal(body.code, 'internal');
  });

  it('echoes a harmless request id and replaces any other', async () => {
    const good = await call('/shop', { headers: { 'x-request-id': 'abc-123' } });
    assert.equal(good.response.headers.get('x-request-id'), 'abc-123');
    const bad = await call('/shop', { headers: { 'x-request-id': 'a b<script>' } });
    assert.match(bad.response.headers.get('x-request-id') ?? '', /^[0-9a-f]{32}$/);
  });
});
