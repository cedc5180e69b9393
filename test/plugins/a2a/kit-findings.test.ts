import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { worksAt } from './support/worker.ts';

const TOKEN = 'a-token-of-ada-123';

// Faults that the compatibility kit of A2A found, or that came to light behind its fixture.
describe('A2A as clients by the interface description write it', function () {
  this.timeout(60_000);
  let mesh: Mesh<'bob'>;
  let ended: () => Promise<void>;

  before(async () => {
    mesh = await startMesh({
      nodes: ['bob'],
      plugins: { bob: [a2aPlugin] },
      own: {
        bob: { plugins: { a2a: { clients: [{ name: 'ada', token: TOKEN }], pushes: { privateAddresses: true } } } },
      },
    });
    ended = worksAt(mesh.nodes.bob);
  });
  after(async () => {
    await ended?.();
    await mesh?.stop();
  });

  async function call(method: string, params: object): Promise<any> {
    const response = await fetch(`${mesh.nodes.bob.url}/a2a/${mesh.nodes.bob.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return response.json();
  }
  const message = (text: string, more: object = {}) => ({
    ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
    ...more,
  });

  it('takes the names of the fields as the interface description spells them, too', async () => {
    const { result } = await call('SendMessage', {
      message: { message_id: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello.', media_type: 'text/plain' }] },
      configuration: { history_length: 0 },
    });
    const { task } = result;
    assert.deepEqual([task.status.state, task.history], ['TASK_STATE_COMPLETED', undefined]);
    assert.equal((await call('GetTask', { id: task.id, history_length: 0 })).result.history, undefined);
    const made = await call('CreateTaskPushNotificationConfig', {
      task_id: task.id,
      id: 'p',
      url: 'http://127.0.0.1:9/',
    });
    assert.deepEqual([made.result?.taskId, made.result?.id], [task.id, 'p'], JSON.stringify(made));
    const [other, both] = [
      await call('GetTask', { task_id: task.id }),
      await call('GetTask', { id: task.id, history_length: 1, historyLength: 0 }),
    ];
    assert.equal(other.error.code, -32602);
    assert.equal(both.result.history, undefined, 'the name of the JSON counts when both are there');
  });

  it('leaves the names in data and metadata as they are', async () => {
    const data = { first_name: 'Ada', last_name: 'Lovelace' };
    const { result } = await call('SendMessage', { message: message('', { parts: [{ data }] }) });
    assert.deepEqual(result.task.history[0].parts[0].data, data);
  });

  it('takes an answer to a question once, and keeps it in the history', async () => {
    const { result } = await call('SendMessage', { message: message('longer, please') });
    assert.equal(result.task.status.state, 'TASK_STATE_INPUT_REQUIRED');
    const { id: taskId } = result.task;
    const accept = message('', { taskId, parts: [{ data: { action: 'accept' } }] });
    const immediately = { configuration: { returnImmediately: true } };
    await call('SendMessage', { message: accept, ...immediately });
    const again = await call('SendMessage', { message: accept, ...immediately });
    assert.equal(again.result?.task?.id, taskId, JSON.stringify(again));
    const ends = await happens('the task has ended', async () => {
      const task = (await call('GetTask', { id: taskId })).result;
      return task.status.state === 'TASK_STATE_COMPLETED' ? task : undefined;
    });
    const ids = ends.history.map(({ messageId }: any) => messageId);
    assert.equal(ids.filter((one: string) => one === accept.messageId).length, 1);
  });
});
