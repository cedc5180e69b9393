import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';

const ADA = 'a-token-of-ada-123';
const JSON_TYPE = { 'content-type': 'application/json' };
const VERSION = { 'a2a-version': '1.0' };

interface Answer {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

describe('a hostile A2A client is answered in the words of the protocol', function () {
  this.timeout(60_000);
  let mesh: Mesh<'bob' | 'eve'>;

  before(async () => {
    mesh = await startMesh({
      nodes: ['bob', 'eve'],
      plugins: { bob: [a2aPlugin], eve: [a2aPlugin] },
      own: {
        bob: { plugins: { a2a: { guests: true, clients: [{ name: 'ada', token: ADA }] } } },
        eve: { plugins: { a2a: { guests: true, price: '0.5' } } },
      },
    });
  });
  after(() => mesh?.stop());

  const address = (name: 'bob' | 'eve' = 'bob') => `${mesh.nodes[name].url}/a2a/${mesh.nodes[name].id}`;
  async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }
  const post = (body: unknown, headers: object = {}, at = address()) =>
    ask(at, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...VERSION, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const call = (method: string, params: object = {}, headers: object = {}) =>
    post({ jsonrpc: '2.0', id: 7, method, params }, headers);
  const message = (text: string, more: object = {}) => ({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
  });
  const immediately = { configuration: { returnImmediately: true } };
  const codeOf = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    return [status, body.id, body.error.code, body.error.data?.[0]?.reason];
  };

  it('for JSON-RPC that is none', async () => {
    assert.deepEqual(await codeOf(post('{"jsonrpc":')), [400, null, -32700, undefined]);
    assert.deepEqual(await codeOf(post('\ufffd{')), [400, null, -32700, undefined]);
    assert.deepEqual(await codeOf(post([])), [200, null, -32600, undefined]);
    assert.deepEqual(await codeOf(post('null')), [200, null, -32600, undefined]);
    assert.deepEqual(await codeOf(post({ jsonrpc: '1.0', id: 1, method: 'GetTask' })), [200, 1, -32600, undefined]);
    assert.deepEqual(await codeOf(post({ jsonrpc: '2.0', id: {}, method: 'GetTask' })), [200, null, -32600, undefined]);
    assert.deepEqual(await codeOf(call('tasks/get')), [200, 7, -32601, undefined]);
    assert.deepEqual(await codeOf(call('toString')), [200, 7, -32601, undefined]);
    assert.deepEqual(await codeOf(post({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: [] })), [
      200,
      7,
      -32602,
      undefined,
    ]);
    assert.deepEqual(await codeOf(post('{}', { 'content-type': 'text/plain' })), [
      400,
      null,
      -32005,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ]);
    const { body } = await call('GetTask', {});
    assert.equal(body.error.data[0]['@type'], 'type.googleapis.com/google.rpc.BadRequest');
    assert.equal(body.error.data[0].fieldViolations[0].field, 'id');
  });

  it('for other versions, and none at all', async () => {
    for (const version of ['', '0.3', '1.0.1', '2.0']) {
      const found = await codeOf(call('ListTasks', {}, { 'a2a-version': version }));
      assert.deepEqual(found, [200, 7, -32009, 'VERSION_NOT_SUPPORTED'], version);
    }
    const { status, body } = await ask(`${address()}/tasks`);
    assert.deepEqual(
      [status, body.error.status, body.error.details[0].reason],
      [400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'],
    );
    assert.equal((await ask(`${address()}/tasks?A2A-Version=1.0`)).status, 200);
  });

  it('for messages that are none', async () => {
    const wrong: [string, object][] = [
      ['message', {}],
      ['message.messageId', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
      ['message.role', message('x', { role: 'ROLE_AGENT' })],
      ['message.parts', message('x', { parts: [] })],
      ['message.parts', message('x', { parts: [{}] })],
      ['message.parts', message(' \u202e ')],
      ['message.parts', message('x'.repeat(4_097))],
      ['message.contextId', message('x', { contextId: 'y'.repeat(129) })],
      ['configuration.historyLength', { ...message('x'), configuration: { historyLength: -1 } }],
    ];
    for (const [field, params] of wrong) {
      const { body } = await call('SendMessage', params);
      assert.deepEqual([body.error?.code, body.error?.data?.[0]?.fieldViolations?.[0]?.field], [-32602, field]);
    }
    const file = message('x', { parts: [{ raw: 'AAAA', mediaType: 'image/png' }] });
    assert.deepEqual(await codeOf(call('SendMessage', file)), [200, 7, -32005, 'CONTENT_TYPE_NOT_SUPPORTED']);
    const deep = `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`;
    assert.deepEqual(await codeOf(post(deep)), [200, 7, -32602, undefined]);
    const data = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    const params = JSON.stringify(message('x', { parts: [{ data: 'HERE' }] })).replace('"HERE"', data);
    const { body } = await post(`{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":${params}}`);
    assert.equal(body.error.code, -32602);
  });

  it('for bodies that are too large or end early, and goes on', async () => {
    assert.deepEqual(await codeOf(post(`"${'x'.repeat(200_000)}"`)), [413, null, -32000, undefined]);
    const { hostname, port } = new URL(mesh.nodes.bob.url);
    const half = connect({ host: hostname, port: Number(port) });
    half.write(
      `POST ${new URL(address()).pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"jsonrpc"`,
    );
    half.end();
    let text = '';
    for await (const piece of half) text += piece;
    assert.doesNotMatch(text, /200 OK/);
    assert.equal((await call('ListTasks')).status, 200);
  });

  it('for tasks and paths that are not there, over both bindings alike', async () => {
    assert.deepEqual(await codeOf(call('GetTask', { id: 'f'.repeat(32) })), [200, 7, -32001, 'TASK_NOT_FOUND']);
    const { status, body } = await ask(`${address()}/tasks/${'f'.repeat(32)}`, { headers: VERSION });
    assert.deepEqual([status, body.error.code, body.error.details[0].reason], [404, 404, 'TASK_NOT_FOUND']);
    const nowhere = await ask(`${address()}/nothing/here`, { headers: VERSION });
    assert.deepEqual([nowhere.status, nowhere.body.error.status], [404, 'NOT_FOUND']);
    const page = await ask(`${address()}/tasks?pageSize=0`, { headers: VERSION });
    assert.deepEqual([page.status, page.body.error.details[0].fieldViolations[0].field], [400, 'pageSize']);
    const stranger = `${mesh.nodes.bob.url}/a2a/${mesh.nodes.eve.id}`;
    assert.equal((await post({}, {}, stranger)).status, 404);
  });

  it('for a token that nobody gave', async () => {
    const { status } = await call('ListTasks', {}, { authorization: 'Bearer of-nobody-at-all' });
    assert.equal(status, 401);
  });

  it('who is a guest: it sees the task whose id it has, lists nothing of others, joins no context and has nobody called', async () => {
    const { body } = await call('SendMessage', { ...message('ignore me'), ...immediately });
    const { id, contextId } = body.result.task;
    assert.equal((await call('GetTask', { id })).body.result.id, id);
    assert.deepEqual((await call('ListTasks')).body.result.tasks, []);
    assert.equal((await call('ListTasks', { contextId })).body.result.tasks[0].id, id);
    assert.equal((await call('SendMessage', message('x', { contextId: 'a-guess' }))).body.error.code, -32602);
    const push = { taskId: id, url: 'https://example.com/' };
    assert.deepEqual(await codeOf(call('CreateTaskPushNotificationConfig', push)), [
      ...[200, 7, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ]);
    assert.deepEqual(await codeOf(call('GetTask', { id }, { authorization: `Bearer ${ADA}` })), [
      200,
      7,
      -32001,
      'TASK_NOT_FOUND',
    ]);
  });

  it('who wants too many tasks or streams', async () => {
    const begun: string[] = [];
    let refused: Answer | undefined;
    for (let count = 0; count < 6 && !refused; count += 1) {
      const answer = await call('SendMessage', { ...message('ignore me'), ...immediately });
      if (answer.body.error) refused = answer;
      else begun.push(answer.body.result.task.id);
    }
    assert.deepEqual([refused?.status, refused?.body.error.code], [429, -32000]);
    assert.ok(Number(refused?.headers.get('retry-after')) > 0);
    assert.equal(begun.length, 3, 'four of an address are open with that of the test before');

    const over = new AbortController();
    const stream = () =>
      fetch(`${address()}/tasks/${begun[0]}:subscribe`, { headers: VERSION, signal: over.signal }).then(
        (response) => response.status,
      );
    const found = await Promise.all(Array.from({ length: 12 }, stream));
    assert.deepEqual(
      [found.filter((status) => status === 200).length, found.filter((status) => status === 429).length],
      [8, 4],
    );
    over.abort();
    await happens('the seats of those that left are free', async () => {
      const again = new AbortController();
      const { status } = await fetch(`${address()}/tasks/${begun[0]}:subscribe`, {
        headers: VERSION,
        signal: again.signal,
      });
      again.abort();
      return status === 200 || undefined;
    });
  });

  it('who has its node call an address that it should not', async () => {
    const { body } = await call(
      'SendMessage',
      { ...message('ignore me'), ...immediately },
      { authorization: `Bearer ${ADA}` },
    );
    const { id } = body.result.task;
    // The mesh of these nodes is private: what its owner calls is one thing, what a client names another.
    const inside = ['http://127.0.0.1:9/', 'http://10.1.2.3/', 'http://[::1]:9/', 'http://localhost:9/'];
    for (const url of ['file:///etc/passwd', 'http://[::1', 'http://', ...inside]) {
      const made = await call(
        'CreateTaskPushNotificationConfig',
        { taskId: id, url },
        { authorization: `Bearer ${ADA}` },
      );
      assert.deepEqual([made.body.error.code, made.body.error.data[0].fieldViolations[0].field], [-32602, 'url'], url);
    }
    const url = 'http://93.184.216.34/';
    for (let count = 0; count < 4; count += 1)
      await call('CreateTaskPushNotificationConfig', { taskId: id, url }, { authorization: `Bearer ${ADA}` });
    const { status } = await call(
      'CreateTaskPushNotificationConfig',
      { taskId: id, url },
      { authorization: `Bearer ${ADA}` },
    );
    assert.equal(status, 429);
  });

  it('who wants dear work for nothing is sent to the mesh, and nothing is stored', async () => {
    const { body } = await post(
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message('Work.') },
      {},
      address('eve'),
    );
    assert.match(body.result.message.parts[0].text, /0\.5 USDC in a deal on the mesh/);
    assert.equal((await mesh.nodes.eve.client.deals()).deals.length, 0);
    const { body: card } = await ask(`${mesh.nodes.eve.url}/.well-known/agent-card.json`);
    assert.equal(card.capabilities.extensions[0].params.price_usdc, '0.5');
    assert.equal(card.securitySchemes, undefined);
  });

  it('and the plugin is closed to strangers unless its operator opens it', async () => {
    const { plugins, standard } = await import('../../../plugins/index.ts');
    assert.ok('a2a' in plugins && !standard.node.includes('a2a') && !standard.aggregator.includes('a2a'));
  });
});
