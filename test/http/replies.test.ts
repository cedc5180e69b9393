import assert from 'node:assert/strict';
import { answer, definePlugin, preparedJson, route, typed } from '../../core/plugin.ts';
import { eventually } from '../support/eventually.ts';
import { type TestNode, testNode } from '../support/node.ts';

const Count = typed<{ n: number }>({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } });

const Text = typed<{ text: string }>({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } });

const Any = typed<object>({ type: 'object' });

const Word = typed<string>({ type: 'string' });

/** What became of the calls that wait. */
const calls = { begun: 0, goOn: [] as (() => void)[], gone: [] as boolean[] };

const plugin = definePlugin({
  name: 'replies',
  api: '2.0',
  node: {
    routes: {
      good: route('GET /replies/good', { auth: 'open', reply: Count }),
      headed: route('GET /replies/headed', { auth: 'open', reply: Count, replyHeaders: { 'x-two': Word } }),
      split: route('GET /replies/split', { auth: 'open', reply: Count, replyHeaders: { 'x-three': Word } }),
      foreign: route('GET /replies/foreign', { auth: 'open', reply: Text }),
      begun: route('POST /replies/begun', { auth: 'open', status: 202 }),
      late: route('GET /replies/late', { auth: 'open', reply: Text }),
      bad: route('GET /replies/bad', { auth: 'open', reply: Count }),
      echo: route('POST /replies/echo', { auth: 'open', body: Any, reply: Any }),
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
        headed: () => answer({ n: 2 }, { headers: { 'x-two': 'yes', 'Content-Type': 'application/count+json' } }),
        split: () => answer({ n: 3 }, { headers: { 'x-three': 'a\r\nx-four: b' } }),
        foreign: () => ({ text: '\u00fcber \u6f22 \ud83d\ude00' }),
        begun: () => {},
        async late(call) {
          calls.begun += 1;
          await new Promise<void>((resolve) => calls.goOn.push(resolve));
          calls.gone.push(call.signal.aborted);
          return { text: '' };
        },
        bad: () => preparedJson<{ n: number }>('{"n":"one"}'),
        echo: ({ body }) => body,
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
  });

  it('sends what looks like an answer, a redirect or prepared JSON as the value that it is', async () => {
    const page = { preparedJson: true, text: '<script>' };
    for (const said of [
      { answer: true, value: page, status: 201, headers: { 'content-type': 'text/html' } },
      { redirect: '/elsewhere', status: 303 },
      page,
    ]) {
      const response = await fetch(`${node.url}/replies/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(said),
      });
      assert.deepEqual([response.status, await response.json()], [200, said]);
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    }
  });

  it('sets the headers of an answer, in place of its own of that name', async () => {
    const { headers } = await fetch(`${node.url}/replies/headed`);
    assert.deepEqual([headers.get('x-two'), headers.get('content-type')], ['yes', 'application/count+json']);
  });

  it('answers with a problem when a header cannot be sent', async () => {
    const response = await fetch(`${node.url}/replies/split`);
    assert.deepEqual([response.status, response.headers.get('x-four')], [500, null]);
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  });

  it('sends text of all scripts whole', async () => {
    const response = await fetch(`${node.url}/replies/foreign`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.headers.get('content-length'), String(bytes.length));
    assert.equal(new TextDecoder().decode(bytes), '{"text":"\u00fcber \u6f22 \ud83d\ude00"}');
  });

  it('sends nothing where no reply is declared, whatever the status', async () => {
    const response = await fetch(`${node.url}/replies/begun`, { method: 'POST' });
    assert.deepEqual([response.status, await response.text()], [202, '']);
  });

  it('tells a handler that asks late that its client has left', async () => {
    const leaving = new AbortController();
    const call = fetch(`${node.url}/replies/late`, { signal: leaving.signal });
    await eventually(() => calls.begun === 1);
    leaving.abort();
    await assert.rejects(call);
    // Asked after the other connection was closed, and answered after the server has seen that.
    await fetch(`${node.url}/replies/good`);
    for (const goOn of calls.goOn) goOn();
    await eventually(() => calls.gone.length === 1);
    assert.deepEqual(calls.gone, [true]);
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
