import assert from 'node:assert/strict';
import type { Client } from '@a2a-js/sdk/client';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Receiver } from './support/receiver.ts';
import { saying, stockClient } from './support/stock-client.ts';
import { worksAt } from './support/worker.ts';

const [COMPLETED, INPUT_REQUIRED] = [3, 6];
const DEAL = 'urn:agent-mesh:a2a:deal:1';

describe('the owner of a node hires an agent of the mesh with the stock A2A client', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'carol' | 'bob'>;
  let ended: () => Promise<void>;
  let alice: Client;
  let carol: Client;

  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'carol', 'bob'],
      usdc: { alice: '20', carol: '20' },
      plugins: { alice: [a2aPlugin], carol: [a2aPlugin] },
      own: {
        alice: { plugins: { a2a: { hire: { offer: '0.5', most: '1', settle: 'delivery' } } } },
        carol: { plugins: { a2a: { hire: { most: '1' } } } },
      },
    });
    ended = worksAt(mesh.nodes.bob);
    alice = await stockClient(at('alice'), 'JSONRPC', mesh.nodes.alice.secret);
    carol = await stockClient(at('carol'), 'HTTP+JSON', mesh.nodes.carol.secret);
  });
  after(async () => {
    await ended?.();
    await mesh?.stop();
  });

  const at = (name: 'alice' | 'carol') => `${mesh.nodes[name].url}/a2a/hire/${mesh.nodes.bob.id}`;
  const income = async () => {
    const { tokens } = await mesh.nodes.bob.client.balances();
    return tokens.find(({ symbol }) => symbol === 'USDC')?.amount ?? 0;
  };
  const terms = (value: object) => ({ metadata: { [DEAL]: value } });
  const step = (value: object) => [
    { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' },
  ];
  const stateWhen = (client: Client, id: string, state: number) =>
    happens(`the task is in state ${state}`, async () => {
      const task: any = await client.getTask({ id } as any);
      return task.status.state === state ? task : undefined;
    });

  it('locks the configured price, gets the work and releases the price: the deal is settled on the ledger', async () => {
    const before = await income();
    const events: any[] = [];
    for await (const { payload } of alice.sendMessageStream(saying('Count the words.')) as any) events.push(payload);
    const last = events.at(-1);
    assert.deepEqual([last.$case, last.value.status.state], ['statusUpdate', COMPLETED]);
    const { id } = events[0].value;
    const { artifacts, metadata }: any = await alice.getTask({ id } as any);
    assert.equal(artifacts[0].parts[0].content.value, 'Done: Count the words.');
    assert.equal(metadata[DEAL].amount_usdc, '0.5');
    const deal: any = await mesh.nodes.alice.client.deal(id);
    assert.deepEqual([deal.state, deal.escrow.outcome], ['settled', 'released']);
    assert.equal(((await income()) - before).toFixed(2), '0.50');
  });

  it('leaves the release to the client where the configuration says so', async () => {
    const sent: any = await carol.sendMessage(
      saying('Count the lines.', terms({ amount_usdc: '0.25', escrow: false })),
    );
    assert.equal(sent.status.state, INPUT_REQUIRED);
    assert.equal(sent.artifacts.length, 1);
    assert.ok(sent.status.message.parts[1].content.value.allowed_actions.includes('pay'));
    const words: any = await carol.sendMessage({
      ...saying('pay', { taskId: sent.id }),
      configuration: { returnImmediately: true, acceptedOutputModes: [] },
    });
    assert.equal(words.status.state, INPUT_REQUIRED, 'words move no money');
    const paid: any = await carol.sendMessage(saying('', { taskId: sent.id, parts: step({ action: 'pay' }) }));
    assert.equal(paid.status.state, COMPLETED);
    assert.equal((await mesh.nodes.carol.client.deal(sent.id)).state, 'settled');
  });

  it("tells a receiver inside the owner's network, which a client may not name", async () => {
    const receiver = await Receiver.start();
    try {
      const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication: undefined };
      const configuration = { returnImmediately: true, acceptedOutputModes: [], taskPushNotificationConfig: config };
      await carol.sendMessage({ ...saying('Count the letters.', terms({ escrow: false })), configuration } as any);
      await happens(
        'the delivery is told',
        async () => receiver.bodies.some(({ artifactUpdate }) => artifactUpdate) || undefined,
      );
    } finally {
      await receiver.end();
    }
  });

  it('lets the client answer another price, and promises no more than the configuration allows', async () => {
    const asked: any = await carol.sendMessage(saying('dear work', terms({ escrow: false })));
    assert.equal(asked.status.state, INPUT_REQUIRED);
    await carol.sendMessage(saying('', { taskId: asked.id, parts: step({ action: 'accept' }) }));
    const delivered = await stateWhen(carol, asked.id, INPUT_REQUIRED);
    assert.equal(delivered.metadata[DEAL].amount_usdc, '0.5');
    await assert.rejects(carol.sendMessage(saying('', { taskId: asked.id, parts: step({ action: 'accept' }) })), {
      name: 'UnsupportedOperationError',
    });
    await assert.rejects(carol.sendMessage(saying('Too much.', terms({ amount_usdc: '1.000001' }))), /hire\.most/);
    await assert.rejects(carol.sendMessage(saying('Nonsense.', terms({ amount_usdc: '-1' }))), /decimal text/);
    const { deals } = await mesh.nodes.carol.client.deals();
    assert.ok(!deals.some(({ message }: any) => /Too much|Nonsense/.test(message)));
  });

  it('asks for the secret of the node', async () => {
    const answer = await fetch(at('alice'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(answer.status, 401);
  });
});
