import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeClient } from '../../../core/client/node-client.ts';
import { happens } from '../../support/happens.ts';
import { freePort, MeshProcess } from '../../support/mesh-process.ts';
import { Receiver } from './support/receiver.ts';

const TOKEN = 'a-token-of-ada-123';

describe('push notifications that wait when a node is killed', function () {
  this.timeout(120_000);
  let folder: string;
  let receiver: Receiver;
  let node: MeshProcess | undefined;
  let url: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-pushes-'));
    receiver = await Receiver.start();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const settings = {
      ...{ profile: 'node', listen: `127.0.0.1:${port}`, dataDir: join(folder, 'data'), network: { id: 'pushes' } },
      ...{ agent: { name: 'bob' }, storage: { use: 'lowdb' }, mesh: { allowPrivatePeers: true } },
      plugins: { a2a: { clients: [{ name: 'ada', token: TOKEN }], pushes: { privateAddresses: true } } },
    };
    await writeFile(join(folder, 'node.json'), JSON.stringify(settings));
  });
  after(async () => {
    await node?.kill();
    await receiver?.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function started(): Promise<NodeClient> {
    node = new MeshProcess(['start', '--config', join(folder, 'node.json')]);
    await happens('the node is ready', async () => {
      if (node!.child.exitCode !== null) throw new Error(node!.err);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.ok || undefined;
    });
    return new NodeClient({ url, secret: (await readFile(join(folder, 'data', 'api-secret'), 'utf8')).trim() });
  }
  async function call(agent: string, method: string, params: object): Promise<any> {
    const answer = await fetch(`${url}/a2a/${agent}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as any;
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }

  it('are delivered after its next start, in the order of the changes, and the store keeps none', async () => {
    let owner = await started();
    const { agent_id: agent } = await owner.identity();
    receiver.status = 503;
    const { task } = await call(agent, 'SendMessage', {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Count.' }] },
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url, token: 'check' } },
    });
    const accepted = () => owner.accept({ conversation_id: task.id }).catch(() => undefined);
    await happens('the offer is there', accepted);
    await owner.deliver({ conversation_id: task.id, content: 'One.', content_type: 'text/plain' });
    await happens('the task has ended', async () => {
      const { status } = await call(agent, 'GetTask', { id: task.id });
      return status.state === 'TASK_STATE_COMPLETED' || undefined;
    });
    await happens('the receiver was tried', async () => receiver.bodies.length > 0 || undefined);
    await node!.stop('SIGKILL');

    receiver.bodies.splice(0);
    receiver.status = 200;
    owner = await started();
    const ended = ({ statusUpdate }: any) => statusUpdate?.status.state === 'TASK_STATE_COMPLETED';
    await happens('the end is told', async () => receiver.bodies.some(ended) || undefined, 60_000);
    const told = receiver.bodies.map(
      ({ statusUpdate, artifactUpdate }) => statusUpdate?.status.state ?? artifactUpdate.artifact.parts[0].text,
    );
    // A receiver may be told twice of what it took as the node was killed.
    assert.deepEqual(
      told.filter((one, index) => one !== told[index - 1]),
      ['TASK_STATE_WORKING', 'One.', 'TASK_STATE_COMPLETED'],
    );
    assert.equal(receiver.headers.at(-1)!['x-a2a-notification-token'], 'check');
    const told2 = receiver.bodies.length;
    await node!.stop();
    owner = await started();
    await call(agent, 'GetTask', { id: task.id });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal(receiver.bodies.length, told2);
  });
});
