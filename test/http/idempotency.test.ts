import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { SECRET, type TestNode, type TestNodeOptions, testNode } from '../support/node.ts';
import { shop } from '../support/shop.ts';

const bearer = { authorization: `Bearer ${SECRET}` };
const json = { ...bearer, 'content-type': 'application/json' };

describe('idempotency keys', () => {
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

  const order = { item: 'tea', count: 1 };

  it('give the stored answer for the same body', async () => {
    const { sell, state } = await open();
    const first = await sell(order, { 'idempotency-key': 'k1' });
    const second = await sell(order, { 'idempotency-key': 'k1' });
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
    assert.equal(state.sales, 1);
    await sell(order, { 'idempotency-key': 'k2' });
    await sell(order);
    assert.equal(state.sales, 3);
  });

  it('refuse another body', async () => {
    const { sell, state } = await open();
    await sell(order, { 'idempotency-key': 'k' });
    const other = await sell({ ...order, count: 2 }, { 'idempotency-key': 'k' });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    assert.equal(state.sales, 1);
  });

  it('refuse a second call while the first is running', async () => {
    const { sell, state } = await open();
    let release = () => {};
    state.gate = new Promise((resolve) => {
      release = resolve;
    });
    const first = sell(order, { 'idempotency-key': 'k' });
    await eventually(() => state.entered === 1);
    const second = await sell(order, { 'idempotency-key': 'k' });
    release();
    assert.deepEqual([second.status, second.body.code], [409, 'request_in_progress']);
    assert.equal((await first).status, 201);
    assert.equal(state.sales, 1);
  });

  it('let a call that failed be repeated, and one that was refused be corrected', async () => {
    const { sell, state } = await open();
    assert.equal((await sell({ item: 'bomb', count: 1 }, { 'idempotency-key': 'uncertain' })).status, 500);
    assert.equal((await sell({ item: 'bomb', count: 1 }, { 'idempotency-key': 'uncertain' })).status, 500);
    const other = await sell(order, { 'idempotency-key': 'uncertain' });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch'], 'it may have been done');
    assert.equal((await sell({ item: 'unicorn', count: 1 }, { 'idempotency-key': 'k' })).status, 409);
    assert.equal((await sell(order, { 'idempotency-key': 'k' })).status, 201);
    assert.equal(state.sales, 1);
  });

  it('run a call again whose handler said that its answer is not the last, until it is', async () => {
    const { sell, state } = await open();
    const later = { item: 'later', count: 1 };
    const sales: unknown[] = [];
    for (let call = 0; call < 4; call++) {
      const { status, body, headers } = await sell(later, { 'idempotency-key': 'k' });
      sales.push([status, body.sale, headers.get('idempotency-replayed')]);
      const other = await sell(order, { 'idempotency-key': 'k' });
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    }
    assert.deepEqual(sales, [
      [201, 1, null],
      [201, 2, null],
      [201, 3, null],
      [201, 3, 'true'],
    ]);
    assert.equal(state.sales, 3);
  });

  it('come from a credential made for one request', async () => {
    const { call } = await open();
    const headers = { 'content-type': 'application/json', authorization: 'Bearer ann', 'x-once': 'jti-1' };
    const send = (body: string, by = headers) => call('/shop/signed', { method: 'POST', headers: by, body });
    const first = await send('{"a":1}');
    assert.match(first.body.operationId, /^[0-9a-f]{64}$/);
    assert.deepEqual((await send('{"a":1}')).body, first.body);
    assert.equal((await send('{"a":2}')).status, 401);
    const bob = await send('{"a":2}', { ...headers, authorization: 'Bearer bob' });
    assert.notEqual(bob.body.operationId, first.body.operationId);
  });
});
