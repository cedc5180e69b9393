import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyAgentCardSignature } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { CardKeys, Signatures } from '../../../core/services.ts';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { saying, stockClient, type Transport } from './support/stock-client.ts';
import { worksAt } from './support/worker.ts';

const [ADA, BEA] = ['a-token-of-ada-123', 'a-token-of-bea-123'];
const [SUBMITTED, WORKING, COMPLETED, INPUT_REQUIRED, REJECTED] = [1, 2, 3, 6, 7];
const DEAL = 'urn:agent-mesh:a2a:deal:1';

describe('an A2A client gives tasks to the agent of a node', function () {
  this.timeout(60_000);
  let mesh: Mesh<'bob'>;
  let ended: () => Promise<void>;
  let receiver: Server;
  const received: { readonly headers: any; readonly body: any }[] = [];
  const other = 'http://127.0.0.1:1/other';

  before(async () => {
    mesh = await startMesh({
      nodes: ['bob'],
      storage: 'lowdb',
      plugins: { bob: [a2aPlugin] },
      own: {
        bob: {
          plugins: {
            a2a: {
              pushes: { privateAddresses: true },
              clients: [
                { name: 'ada', token: ADA },
                { name: 'bea', token: BEA },
              ],
              skills: [{ id: 'haiku', name: 'Haiku', description: 'Writes a haiku.', tags: ['poetry'] }],
              extendedSkills: [{ id: 'ode', name: 'Ode', description: 'Writes an ode.', tags: ['poetry'] }],
            },
          },
        },
      },
    });
    ended = worksAt(mesh.nodes.bob);
    receiver = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      received.push({ headers: request.headers, body: JSON.parse(text) });
      response.end();
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  });
  after(async () => {
    await ended?.();
    receiver?.close();
    await mesh?.stop();
  });

  const address = () => `${mesh.nodes.bob.url}/a2a/${mesh.nodes.bob.id}`;
  const textOf = (task: any) => task.artifacts[0].parts[0].content.value;

  it('shows a card at the well-known address that the stock SDK verifies, by a key that the agent certified', async () => {
    const { url, id, node } = mesh.nodes.bob;
    const answer = await fetch(`${url}/.well-known/agent-card.json`);
    const card: any = await answer.json();
    assert.deepEqual([card.name, card.skills[0].id, card.capabilities.streaming], ['bob', 'haiku', true]);
    const { keys }: any = await (await fetch(`${url}/.well-known/jwks.json`)).json();
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      assert.equal(jku, `${url}/.well-known/jwks.json`);
      return keys.find((key: any) => key.kid === kid);
    });
    await verify(card);
    await assert.rejects(verify({ ...card, name: 'mallory' }));
    const { card_key, not_after, signature, agent_id } = card.capabilities.extensions[0].params;
    assert.equal(agent_id, id);
    const certificate = {
      agentId: agent_id,
      cardKey: Buffer.from(card_key, 'base64url'),
      notAfter: not_after,
      signature: Buffer.from(signature, 'hex'),
    };
    assert.equal(keys[0].x, card_key);
    assert.equal(await node.get(Signatures).cardKey(certificate), true);
    assert.equal(await node.get(Signatures).cardKey({ ...certificate, notAfter: not_after + 1 }), false);
    const now = Math.floor(Date.now() / 1_000);
    assert.throws(() => node.get(CardKeys).certify(new Uint8Array(31), now + 60), RangeError);
    for (const time of [now - 60, now + 91 * 86_400])
      assert.throws(() => node.get(CardKeys).certify(new Uint8Array(32), time), RangeError);
    const again = await fetch(`${url}/.well-known/agent-card.json`, {
      headers: { 'if-none-match': answer.headers.get('etag')! },
    });
    assert.equal(again.status, 304);
  });

  for (const transport of ['JSONRPC', 'HTTP+JSON'] as Transport[]) {
    describe(`over ${transport}, with the stock client`, () => {
      let ada: Client;
      let bea: Client;
      before(async () => {
        ada = await stockClient(address(), transport, ADA);
        bea = await stockClient(address(), transport, BEA);
      });

      it('gets the result of a free task, which is a deal of the same id', async () => {
        const task: any = await ada.sendMessage(saying('Write a haiku.'));
        assert.equal(task.status.state, COMPLETED);
        assert.equal(textOf(task), 'Done: Write a haiku.');
        assert.equal((await mesh.nodes.bob.client.deal(task.id)).state, 'settled');
        assert.equal(((await ada.getTask({ id: task.id } as any)) as any).status.state, COMPLETED);
      });

      it('follows a task on a stream: the task, then its changes in order, then the end', async () => {
        const events: any[] = [];
        for await (const event of ada.sendMessageStream(saying('Write an ode.'))) events.push((event as any).payload);
        assert.equal(events[0].$case, 'task');
        const kinds = events
          .slice(1)
          .map(({ $case, value }: any) => ($case === 'statusUpdate' ? value.status.state : $case));
        assert.equal(kinds.at(-1), COMPLETED);
        assert.ok(kinds.includes('artifactUpdate') && kinds.indexOf('artifactUpdate') < kinds.lastIndexOf(COMPLETED));
      });

      it('sees a refusal as the end of the task', async () => {
        const task: any = await ada.sendMessage(saying('no thanks'));
        assert.equal(task.status.state, REJECTED);
      });

      it('answers at once where it is told to, and takes up a running task again by a subscription', async () => {
        const immediately = { configuration: { returnImmediately: true, acceptedOutputModes: [] } };
        const { id }: any = await ada.sendMessage({ ...saying('wait for me'), ...immediately });
        await happens(
          'the task is under way',
          async () => ((await ada.getTask({ id } as any)) as any).status.state === WORKING || undefined,
        );
        const stream = ada.resubscribeTask({ id, tenant: '' } as any);
        const first: any = await stream.next();
        assert.equal(first.value.payload.value.id, id);
        const next = stream.next();
        await mesh.nodes.bob.client.deliver({ conversation_id: id, content: 'here', content_type: 'text/plain' });
        const events: any[] = [(await next).value];
        for await (const event of stream) events.push(event);
        assert.ok(events.some(({ payload }) => payload.$case === 'artifactUpdate'));
        assert.equal(events.at(-1).payload.value.status.state, COMPLETED);
      });

      it('lists its own tasks, newest first, page by page, and never those of another client', async () => {
        const { tasks: first, nextPageToken, totalSize }: any = await ada.listTasks({ pageSize: 2, status: 0 } as any);
        assert.equal(first.length, 2);
        assert.ok(first.every(({ artifacts }: any) => artifacts.length === 0));
        const { tasks: second }: any = await ada.listTasks({ pageSize: 2, pageToken: nextPageToken, status: 0 } as any);
        assert.ok(!second.some(({ id }: any) => first.some((one: any) => one.id === id)));
        assert.ok(totalSize >= 4);
        const rejected: any = await ada.listTasks({ status: REJECTED } as any);
        assert.ok(rejected.tasks.length >= 1 && rejected.tasks.every(({ status }: any) => status.state === REJECTED));
        const ofBea: any = await bea.listTasks({ status: 0 } as any);
        assert.ok(!ofBea.tasks.some(({ id }: any) => first.some((one: any) => one.id === id)));
        const { id } = first[0];
        await assert.rejects(bea.getTask({ id } as any), { name: 'TaskNotFoundError' });
        await assert.rejects(bea.cancelTask({ id } as any), { name: 'TaskNotFoundError' });
        await assert.rejects(bea.sendMessage(saying('mine?', { taskId: id })), { name: 'TaskNotFoundError' });
        await assert.rejects(bea.resubscribeTask({ id, tenant: '' } as any).next());
      });

      it('keeps the context that it names, and groups tasks by it', async () => {
        const contextId = `holiday-${transport}`;
        const one: any = await ada.sendMessage(saying('Find a beach.', { contextId }));
        const two: any = await ada.sendMessage(saying('Find a hotel.', { contextId }));
        assert.deepEqual([one.contextId, two.contextId], [contextId, contextId]);
        const { tasks }: any = await ada.listTasks({ contextId, status: 0 } as any);
        assert.deepEqual(
          tasks.map(({ id }: any) => id),
          [two.id, one.id],
        );
      });

      it('withdraws an offer that nobody answered; it is canceled only when no acceptance can come', async () => {
        const { id }: any = await ada.sendMessage({
          ...saying('ignore me'),
          configuration: { returnImmediately: true, acceptedOutputModes: [] },
        });
        const task: any = await ada.cancelTask({ id } as any);
        assert.equal(task.status.state, SUBMITTED);
        assert.match(task.status.message.parts[0].content.value, /withdrawn/);
        await assert.rejects(ada.cancelTask({ id } as any), { name: 'TaskNotCancelableError' });
      });

      it('is told the price of dear work, which guests and clients do not pay here', async () => {
        const task: any = await ada.sendMessage(saying('dear work'));
        assert.equal(task.status.state, INPUT_REQUIRED);
        const [words, terms] = task.status.message.parts;
        assert.match(words.content.value, /0\.5 USDC/);
        assert.equal(terms.content.value.amount_usdc, '0.5');
        const parts = [
          { content: { $case: 'data', value: { action: 'accept' } }, metadata: undefined, filename: '', mediaType: '' },
        ];
        await assert.rejects(ada.sendMessage(saying('', { taskId: task.id, parts })), {
          name: 'UnsupportedOperationError',
        });
        await ada.cancelTask({ id: task.id } as any);
      });

      it('talks while the work is under way', async () => {
        const { id, contextId }: any = await ada.sendMessage({
          ...saying('wait a bit'),
          configuration: { returnImmediately: true, acceptedOutputModes: [] },
        });
        await mesh.nodes.bob.dealWhen(id, 'accepted');
        await ada.sendMessage({
          ...saying('In blue, please.', { taskId: id, contextId }),
          configuration: { returnImmediately: true, acceptedOutputModes: [] },
        });
        await happens('the agent hears it', async () => {
          const { frames } = await mesh.nodes.bob.client.api.inbox.page({ conversation_id: id } as any);
          return frames.some((frame: any) => frame.msg_type === 'MESSAGE') || undefined;
        });
        const deal: any = await mesh.nodes.bob.client.deal(id);
        await mesh.nodes.bob.client.message({
          recipient: deal.counterparty,
          text: 'Light or dark?',
          conversation_id: id,
        } as any);
        await happens('the client sees it', async () => {
          const task: any = await ada.getTask({ id } as any);
          return task.status.message.parts[0].content.value === 'Light or dark?' || undefined;
        });
        await assert.rejects(ada.sendMessage(saying('x', { taskId: id, contextId: 'another' })));
        await mesh.nodes.bob.client.deliver({ conversation_id: id, content: 'blue', content_type: 'text/plain' });
        const done: any = await happens('it is done', async () => {
          const task: any = await ada.getTask({ id } as any);
          return task.status.state === COMPLETED ? task : undefined;
        });
        assert.deepEqual(
          done.history.map(({ role }: any) => role),
          [1, 1, 2],
        );
        await assert.rejects(ada.sendMessage(saying('more', { taskId: id })), { name: 'UnsupportedOperationError' });
      });

      it('has its receiver told of every change', async () => {
        received.splice(0);
        const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/told`;
        const { id }: any = await ada.sendMessage({
          ...saying('wait, then tell'),
          configuration: { returnImmediately: true, acceptedOutputModes: [] },
        });
        const made: any = await ada.createTaskPushNotificationConfig({
          ...{ taskId: id, tenant: '', id: 'mine', url, token: 'check-me' },
          authentication: { scheme: 'Bearer', credentials: 'for-the-receiver' },
        } as any);
        assert.equal(made.id, 'mine');
        const second: any = await ada.createTaskPushNotificationConfig({
          taskId: id,
          tenant: '',
          id: 'other',
          url: other,
          token: '',
          authentication: undefined,
        } as any);
        const { configs }: any = await ada.listTaskPushNotificationConfig({ taskId: id } as any);
        assert.deepEqual(configs.map((one: any) => one.id).sort(), ['mine', 'other']);
        await ada.deleteTaskPushNotificationConfig({ taskId: id, id: second.id } as any);
        await ada.deleteTaskPushNotificationConfig({ taskId: id, id: second.id } as any);
        assert.equal(((await ada.getTaskPushNotificationConfig({ taskId: id, id: 'mine' } as any)) as any).url, url);
        await assert.rejects(ada.getTaskPushNotificationConfig({ taskId: id, id: 'other' } as any));
        await mesh.nodes.bob.dealWhen(id, 'accepted');
        await mesh.nodes.bob.client.deliver({ conversation_id: id, content: 'told', content_type: 'text/plain' });
        await happens(
          'the end is told',
          async () =>
            received.some(({ body }) => body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED') || undefined,
        );
        assert.ok(received.some(({ body }) => body.artifactUpdate?.artifact.parts[0].text === 'told'));
        for (const { headers } of received)
          assert.deepEqual(
            [headers.authorization, headers['x-a2a-notification-token']],
            ['Bearer for-the-receiver', 'check-me'],
          );
      });

      it('gets the extended card', async () => {
        const { skills }: any = await ada.getAgentCard();
        assert.deepEqual(
          skills.map(({ id }: any) => id),
          ['haiku', 'ode'],
        );
      });

      it('repeats a message without a second task', async () => {
        const message = saying('Once.');
        const [one, two]: any[] = await Promise.all([ada.sendMessage(message), ada.sendMessage(message)]);
        assert.equal(one.id, two.id);
        const other = saying('Twice.', { messageId: message.message.messageId });
        await assert.rejects(ada.sendMessage(other), /messageId/);
      });
    });
  }

  it('goes on with its tasks after a restart of the node', async () => {
    const ada = await stockClient(address(), 'JSONRPC', ADA);
    const { id }: any = await ada.sendMessage({
      ...saying('wait for the restart'),
      configuration: { returnImmediately: true, acceptedOutputModes: [] },
    });
    await mesh.nodes.bob.dealWhen(id, 'accepted');
    await ended();
    await mesh.nodes.bob.restart();
    ended = worksAt(mesh.nodes.bob);
    const again = await stockClient(address(), 'JSONRPC', ADA);
    assert.equal(((await again.getTask({ id } as any)) as any).metadata[DEAL].state, 'accepted');
    await mesh.nodes.bob.client.deliver({ conversation_id: id, content: 'after it', content_type: 'text/plain' });
    const done: any = await happens('it is done', async () => {
      const task: any = await again.getTask({ id } as any);
      return task.status.state === COMPLETED ? task : undefined;
    });
    assert.equal(textOf(done), 'after it');
  });
});
