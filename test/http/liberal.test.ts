import assert from 'node:assert/strict';
import { definePlugin, route, stream, typed } from '../../core/plugin.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';
import { watch } from '../support/sockets.ts';

interface Sale {
  readonly item_name: string;
  readonly amount_usdc?: string;
  readonly notary?: string;
  readonly note?: string | null;
  readonly buyer?: { readonly first_name?: string };
  readonly lines?: readonly { readonly size?: number }[];
  readonly extra?: object;
}

const Sale = typed<Sale>({
  type: 'object',
  required: ['item_name'],
  properties: {
    item_name: { type: 'string', minLength: 2 },
    amount_usdc: { $ref: 'common.json#/$defs/usdc' },
    notary: { type: 'string' },
    note: { type: ['string', 'null'] },
    buyer: { type: 'object', properties: { first_name: { type: 'string' } } },
    lines: { type: 'array', items: { type: 'object', properties: { size: { type: 'integer' } } } },
    extra: { type: 'object' },
  },
});
const Page = typed<{ limit?: number }>({ type: 'object', properties: { limit: { type: 'integer', maximum: 9 } } });
const AnyObject = typed<object>({ type: 'object' });
const AnyList = typed<readonly object[]>({ type: 'array' });

const plugin = definePlugin({
  name: 'liberal',
  api: '2.0',
  node: {
    routes: {
      sell: route('POST /sell', { auth: 'api', body: Sale, reply: AnyObject }),
      pay: route('POST /pay', { auth: 'api', body: Sale, reply: AnyObject, money: true, idempotency: true }),
      page: route('GET /page', { auth: 'open', query: Page, reply: AnyObject }),
      plain: route('GET /plain', { auth: 'open', reply: AnyObject }),
      list: route('GET /list', { auth: 'open', query: Page, reply: AnyList }),
      frames: stream('/ws/frames', { auth: 'open', query: Page, frame: AnyObject, receive: Sale }),
    },
    setup: () => ({
      routes: {
        sell: ({ body }) => ({ body }),
        pay: ({ body }) => ({ body }),
        page: ({ query }) => ({ query }),
        plain: () => ({}),
        list: () => [],
        async *frames({ query, ignored, received }) {
          yield { query, ignored };
          for await (const frame of received) yield { frame };
        },
      },
    }),
  },
});

describe('a request', () => {
  let node: TestNode;
  before(async () => {
    node = await testNode({ plugins: [plugin] });
  });
  after(() => node.stop());

  async function post(path: string, body: string | object, headers: Record<string, string> = {}) {
    const response = await fetch(node.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as any };
  }
  const get = async (path: string) => (await fetch(node.url + path)).json() as Promise<any>;

  it('leaves a member out by null, unless its contract gives null a meaning', async () => {
    const sale = { item_name: 'tea', amount_usdc: null, notary: null, note: null, buyer: { first_name: null } };
    const { status, body } = await post('/sell', sale);
    assert.deepEqual([status, body], [200, { body: { item_name: 'tea', note: null, buyer: {} } }]);
    const refused = await post('/sell', { item_name: null });
    assert.deepEqual([refused.status, refused.body.fields], [400, [{ pointer: '/item_name', message: 'is required' }]]);
  });

  it('is told in `ignored` what nobody knows, at every depth, and the handler never sees it', async () => {
    const sale = {
      capabilities: ['x'],
      item_name: 'tea',
      buyer: { age: 3 },
      lines: [{ size: 1, colour: 'red' }],
      extra: { anything: 1 },
    };
    const { status, body } = await post('/sell?verbose=1', sale);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ignored: ['verbose', 'capabilities', 'buyer/age', 'lines/0/colour'],
      body: { item_name: 'tea', buyer: {}, lines: [{ size: 1 }], extra: { anything: 1 } },
    });
  });

  it('names at most 20 unknown members, each cut short', async () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]));
    const { body } = await post('/sell', { item_name: 'tea', ...many });
    assert.equal(body.ignored.length, 20);
    assert.ok(body.ignored.every((name: string) => name.length <= 64));
    assert.deepEqual(body.body, { item_name: 'tea' });
  });

  it('may write a known name in camelCase, and is refused by the name it wrote', async () => {
    const { body } = await post('/sell', { itemName: 'tea', buyer: { firstName: 'Ada' } });
    assert.deepEqual(body, { body: { buyer: { first_name: 'Ada' }, item_name: 'tea' } });
    const refused = await post('/sell', { itemName: 't', colour: 'red' });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.fields[0].pointer, '/itemName');
    assert.match(refused.body.detail, /^\/itemName /);
    assert.deepEqual(refused.body.ignored, ['colour']);
  });

  it('is refused when it says one thing twice, in one spelling or in two', async () => {
    const twice = await post('/sell', { item_name: 'tea', itemName: 'milk' });
    assert.deepEqual([twice.status, twice.body.fields[0].pointer], [400, '/itemName']);
    const same = await post('/sell', '{"item_name":"tea","item_name":"milk"}');
    assert.deepEqual([same.status, same.body.fields[0].pointer], [400, '/item_name']);
  });

  it('about money is refused when a name looks like a misspelt one; others are ignored and told', async () => {
    for (const name of ['amount_usd', 'amont_usdc', 'amount', 'amuont_usdc', 'AMOUNT-USD', 'notari']) {
      const { status, body } = await post('/pay', { item_name: 'tea', [name]: '1.5' });
      assert.deepEqual([status, body.fields?.[0].pointer], [400, `/${name}`], name);
      assert.match(body.fields[0].message, /did you mean (amount_usdc|notary)\?$/);
    }
    const known = { item_name: 'tea', amount_usdc: '1.5' };
    const { status, body } = await post('/pay', { ...known, notary_fee: 1, timeout_slots: 1000, token_mint: 'x' });
    assert.deepEqual([status, body], [200, { ignored: ['notary_fee', 'timeout_slots', 'token_mint'], body: known }]);
    assert.deepEqual((await post('/sell', { item_name: 'tea', amount_usd: '1' })).body.ignored, ['amount_usd']);
  });

  it('about money may have 20 unknown members, among which a misspelt one cannot hide', async () => {
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x${index}`, 1]));
    const { status, body } = await post('/pay', { item_name: 'tea', ...many });
    assert.deepEqual([status, body.fields?.[0].pointer], [400, '/x20']);
  });

  it('with a null under a misspelt name says nothing, so nothing is refused', async () => {
    assert.equal((await post('/pay', { item_name: 'tea', amount: null })).status, 200);
  });

  it('repeated with its key is answered with what was ignored the first time', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await post('/pay', { item_name: 'tea', colour: 'red' }, headers);
    const again = await post('/pay', { item_name: 'tea', colour: 'red' }, headers);
    assert.deepEqual(again.body, first.body);
    assert.deepEqual(again.body.ignored, ['colour']);
  });

  it('may hold query parameters that nobody knows, with and without a query of its own', async () => {
    assert.deepEqual(await get('/page?limit=3&verbose=1'), { ignored: ['verbose'], query: { limit: 3 } });
    assert.deepEqual(await get('/plain?x=1&x=2&__proto__=3'), { ignored: ['x', '__proto__'] });
    assert.deepEqual(await get('/list?x=1'), []);
    assert.deepEqual(await get('/plain'), {});
    const refused = await get('/page?Limit=0x10&verbose=1');
    assert.deepEqual([refused.fields[0].pointer, refused.ignored], ['/Limit', ['verbose']]);
  });

  it('for a stream may hold unknown parameters, and its frames unknown members', async () => {
    const { socket, frames, closed } = watch(`${node.url}/ws/frames?limit=2&verbose=1`);
    socket.once('open', () => socket.send('{"itemName":"tea","note":null,"colour":1,"notary":null}'));
    await new Promise<void>((resolve) => socket.on('message', () => frames.length === 2 && resolve()));
    assert.deepEqual(frames, [
      { query: { limit: 2 }, ignored: ['verbose'] },
      { frame: { item_name: 'tea', note: null } },
    ]);
    socket.close();
    await closed;
  });
});
