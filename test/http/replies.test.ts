import assert from 'node:assert/strict';
import { answer, definePlugin, preparedJson, route, typed } from '../../core/plugin.ts';
import { type TestNode, testNode } from '../support/node.ts';

const Count = typed<{ n: number }>({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } });

const plugin = definePlugin({
  name: 'replies',
  api: '1.0',
  node: {
    routes: {
      good: route('GET /replies/good', { auth: 'open', reply: Count }),
      headed: route('GET /replies/headed', { auth: 'open', reply: Count }),
      bad: route('GET /replies/bad', { auth: 'open', reply: Count }),
      raw: route('POST /replies/raw', {
        auth: 'open',
        body: Count,
        alsoTakes: { 'application/x-count': 'One byte.' },
        reply: Count,
      }),
    },
    setup: () => ({
      routes: {
        good: () => preparedJson<{ n: number }>('{"n": 1}'),
        headed: () => answer({ n: 2 }, { headers: { 'x-two': 'yes' } }),
        bad: () => preparedJson<{ n: number }>('{"n":"one"}'),
        raw: ({ body }) => ({ n: 'bytes' in body ? body.bytes[0]! : body.n }),
      },
    }),
  },
});

describe('replies and bodies in other forms', () => {
  let node: TestNode;
  before(async () => {
    node = await testNode({ plugins: [plugin] });
  });
  after(() => node.stop());

  it('sends prepared JSON as it is', async () => {
    const response = await fetch(`${node.url}/replies/good`);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(await response.text(), '{"n": 1}');
    assert.equal((await fetch(`${node.url}/replies/headed`)).headers.get('x-two'), 'yes');
  });

  it('checks prepared JSON against the declared reply like any other', async () => {
    assert.equal((await fetch(`${node.url}/replies/bad`)).status, 500);
  });

  const post = (type: string, body: string, more: Record<string, string> = {}) =>
    fetch(`${node.url}/replies/raw`, { method: 'POST', headers: { 'content-type': type, ...more }, body });

  it('gives the handler a body in a declared media type as it came', async () => {
    assert.deepEqual(await (await post('application/x-count', '\x07')).json(), { n: 7 });
    assert.deepEqual(await (await post('Application/X-Count; v=1', '\x08')).json(), { n: 8 });
    assert.deepEqual(await (await post('application/json', '{"n":9}')).json(), { n: 9 });
  });

  it('refuses other media types, and compressed bodies', async () => {
    const refused = await post('text/plain', '1');
    assert.equal(refused.status, 415);
    assert.deepEqual(((await refused.json()) as { accepted: string[] }).accepted, [
      'application/json',
      'application/x-count',
    ]);
    assert.equal((await post('application/x-count', '\x07', { 'content-encoding': 'gzip' })).status, 415);
  });
});
