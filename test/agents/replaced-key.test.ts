import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Hosts } from '../../core/node/services/agents.ts';
import { identityOf } from '../messaging/support.ts';
import { innkeeper } from '../support/agents.ts';
import { startMesh } from '../support/mesh.ts';

describe('a key that was replaced before it is added to a node', function () {
  this.timeout(30_000);

  it('signs nothing there', async () => {
    const keeper = innkeeper();
    const mesh = await startMesh({ nodes: ['inn'], plugins: { inn: [keeper.plugin] } });
    try {
      const { inn } = mesh.nodes;
      const { agents } = keeper.got;
      const signer = agents.signerOf(randomBytes(32));
      const { id } = await agents.add({ signer });
      await agents.remove(id);
      const heir = identityOf('heir').address;
      const succession = { agent_id: id, successor: heir, time: 1, signature_b64: '', accepted_b64: '' };
      await inn.node.get(Hosts).succeeded(succession, { host: inn.id, recovery_key: id, not_after: 1 });
      const agent = await agents.add({ signer });
      assert.equal(agent.successor, heir);
      const said = agent.send('MESSAGE', { text: 'still me' }, { recipient: inn.id });
      await assert.rejects(said, { code: 'agent_moved' });
    } finally {
      await mesh.stop();
    }
  });
});
