import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../../adapters/index.ts';
import { NodeClient } from '../../../core/client/node-client.ts';
import type { RunningNode } from '../../../core/host/boot/boot-node.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { happens } from '../../support/happens.ts';
import { describeRedis, RedisServer } from '../../support/redis-server.ts';

const TOKEN = 'a-token-of-ada-123';

describeRedis('A2A at two processes of one node, on one Redis', function () {
  this.timeout(90_000);
  let redis: RedisServer;
  let folder: string;
  let receiver: Server;
  const pushed: any[] = [];
  const nodes: RunningNode[] = [];

  before(async () => {
    redis = await RedisServer.start();
    folder = await mkdtemp(join(tmpdir(), 'mesh-two-'));
    receiver = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      pushed.push(JSON.parse(text));
      response.end();
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    nodes.push(await process('one'));
    await mkdir(join(folder, 'two'));
    await copyFile(join(folder, 'one', 'identity.key'), join(folder, 'two', 'identity.key'));
    nodes.push(await process('two'));
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    receiver?.close();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function process(name: string): Promise<RunningNode> {
    return startNode({
      parts: { adapters, plugins: { ...plugins, a2a: () => a2aPlugin }, standard },
      log: silentLog,
      grace: 500,
      config: {
        value: {
          ...{ profile: 'node', listen: '127.0.0.1:0', dataDir: join(folder, name), network: { id: 'two' } },
          agent: { name: 'two' },
          mesh: { allowPrivatePeers: true },
          storage: { use: 'redis', url: redis.url, prefix: 'two' },
          plugins: { a2a: { clients: [{ name: 'ada', token: TOKEN }], pushes: { privateAddresses: true } } },
        },
        folder,
      },
    });
  }
  const agentId = async (node: RunningNode) =>
    ((await (await fetch(`${node.url}/.well-known/agent-card.json`)).json()) as any).supportedInterfaces[0].url
      .split('/')
      .at(-1);
  async function ask(node: RunningNode, method: string, params: object, signal?: AbortSignal): Promise<Response> {
    return fetch(`${node.url}/a2a/${await agentId(node)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      ...(signal && { signal }),
    });
  }
  const asked = async (node: RunningNode, method: string, params: object): Promise<any> =>
    (await ask(node, method, params)).json();

  it('shows a task at both, tells its stream at the other one, and pushes each change once', async () => {
    const [one, two] = nodes as [RunningNode, RunningNode];
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { result } = await asked(one, 'SendMessage', {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Count.' }] },
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url } },
    });
    const { id } = result.task;
    assert.equal((await asked(two, 'GetTask', { id })).result.id, id);

    const left = new AbortController();
    const stream = await ask(two, 'SubscribeToTask', { id }, left.signal);
    const events: any[] = [];
    const reading = (async () => {
      let text = '';
      for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
        text += piece;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const line = text.slice(0, end);
          text = text.slice(end + 2);
          if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)).result);
        }
      }
    })();
    await happens('the stream has begun', async () => events[0]?.task.id === id || undefined);
    const owner = new NodeClient({ url: one.url, secret: one.apiSecret });
    await happens('the offer is there', async () =>
      owner.accept({ conversation_id: id }).then(
        () => true,
        () => undefined,
      ),
    );
    await owner.deliver({ conversation_id: id, content: 'One.', content_type: 'text/plain' });
    await reading;
    assert.equal(events.at(-1).statusUpdate.status.state, 'TASK_STATE_COMPLETED');
    const artifacts = events.filter(({ artifactUpdate }) => artifactUpdate);
    assert.equal(artifacts[0].artifactUpdate.artifact.parts[0].text, 'One.');

    await happens(
      'the end is pushed',
      async () => pushed.some(({ statusUpdate }) => statusUpdate?.status.state === 'TASK_STATE_COMPLETED') || undefined,
    );
    const told = pushed.map(
      (event) => event.statusUpdate?.status.message.messageId ?? event.artifactUpdate.artifact.artifactId,
    );
    assert.deepEqual(told, [...new Set(told)]);
    left.abort();
  });
});
