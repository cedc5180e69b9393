import assert from 'node:assert/strict';
import { SHORT_EPOCHS, stake } from '../node/behavior/support.ts';
import { delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import type { Watched } from '../support/sockets.ts';
import { hasMembers } from './support/words.ts';

/** "Node events of kinds envelope, peer, reputation, batch, lease": each is brought about once. */
describe('the events of a node in the words of the specification', function () {
  this.timeout(90_000);
  let mesh: Mesh<'one' | 'two'>;
  let watched: Watched;
  before(async () => {
    mesh = await startMesh({
      nodes: ['one', 'two'],
      usdc: { one: '100' },
      numbers: SHORT_EPOCHS,
      storage: 'lowdb',
    });
    watched = mesh.nodes.one.watch('/ws/events');
    await new Promise((open) => watched.socket.once('open', open));
  });
  after(async () => {
    watched?.socket.close();
    await mesh?.stop();
  });

  async function told(kind: string): Promise<any> {
    const event = await happens(`an event of kind ${kind}`, async () =>
      watched.frames.find(({ type }) => type === kind),
    );
    hasMembers(event, { type: [kind], event_type: [kind], agent_id: 'base58', at: 'time', data: 'object' });
    return event;
  }

  it('WS /ws/events: envelope', async () => {
    const { one, two } = mesh.nodes;
    const { conversation_id } = await one.client.propose({ recipient: two.id, amount_usdc: '0', message: 'x' });
    assert.equal((await told('envelope')).data.conversation_id, conversation_id);
  });

  it('WS /ws/events: peer', async () => {
    await mesh.nodes.two.restart();
    await told('peer');
  });

  it('WS /ws/events: lease', async () => {
    const { one } = mesh.nodes;
    assert.equal((await one.post('/lease/pay', {})).status, 200);
    assert.equal((await told('lease')).agent_id, one.id);
  });

  /** How often the aggregator was asked for a score. */
  async function asked(): Promise<number> {
    const text = await (await fetch(`${mesh.aggregatorNode.url}/metrics`)).text();
    const all = text.matchAll(/^mesh_http_requests_total\{route="GET \/reputation\/[^}]*\} (\d+)$/gm);
    return [...all].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  it('WS /ws/events: reputation', async () => {
    const { one, two } = mesh.nodes;
    const conversation_id = await delivered(one, two, { amount_usdc: '0' });
    await happens('the aggregator knows the deal', async () => {
      const found = await mesh.aggregator.reputation(two.id);
      return found?.score === 0 || undefined;
    });
    // Whoever watches anew is looked for at once; a change is one since that look.
    watched.socket.close();
    await watched.closed;
    const before = await asked();
    watched = one.watch('/ws/events');
    await happens('the node has looked at both scores', async () => (await asked()) >= before + 2 || undefined);
    await one.client.feedback({ conversation_id, score: 100 });
    const event = await told('reputation');
    assert.equal(event.agent_id, two.id);
    hasMembers(event.data, { score: [1], before: [0] });
  });

  it('WS /ws/events: batch', async () => {
    const { one, two } = mesh.nodes;
    await stake(one, '20');
    mesh.advance(SHORT_EPOCHS.epochSecs);
    await one.client.propose({ recipient: two.id, amount_usdc: '0', message: 'x' });
    mesh.advance(SHORT_EPOCHS.epochSecs);
    const event = await told('batch');
    hasMembers(event.data, { epoch: 'integer', message_count: 'integer', log_merkle_root: 'string' });
  });
});
