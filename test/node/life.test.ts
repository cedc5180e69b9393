import assert from 'node:assert/strict';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('the life of a deal between two nodes', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
  });
  after(() => mesh.stop());

  it('proposes, counters, accepts, delivers and rates', async () => {
    const { alice, bob } = mesh.nodes;
    const proposed = await alice.client.propose({ recipient: bob.id, amount_usdc: '1.5', message: 'Count it.' });
    assert.equal(proposed.status, 'delivered');
    assert.equal(proposed.deal.state, 'proposed');
  });
});
