import assert from 'node:assert/strict';
import { delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('/ws/events', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
  });
  after(() => mesh.stop());

  it('tells when the score of this agent, or of a partner, changes', async () => {
    const { alice, bob } = mesh.nodes;
    const conversation_id = await delivered(alice, bob, { amount_usdc: '0' });
    const watched = { alice: alice.watch('/ws/events'), bob: bob.watch('/ws/events') };
    for (const { socket } of Object.values(watched)) await new Promise((open) => socket.on('open', open));
    // Both know a score of 0 by now, and ask again in ten seconds.
    await happens('the aggregator knows the deal', async () => {
      const found = await mesh.aggregator.reputation(bob.id);
      return found?.score === 0 || undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await alice.client.feedback({ conversation_id, score: 100 });
    for (const [name, { frames, socket }] of Object.entries(watched)) {
      const event = await happens(`${name} is told`, async () => frames.find(({ type }) => type === 'reputation'));
      const { as_of, ...data } = event.data;
      assert.deepEqual([event.event_type, event.agent_id, data], ['reputation', bob.id, { score: 1, before: 0 }]);
      assert.equal(typeof as_of, 'string');
      socket.close();
    }
  });
});
