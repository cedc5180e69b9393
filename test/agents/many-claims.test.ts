import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Residents } from '../../core/node/agents/providers.ts';
import { Hosts } from '../../core/node/services/agents.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { innkeeper } from '../support/agents.ts';
import { happens } from '../support/happens.ts';
import { startMesh } from '../support/mesh.ts';

/** More than eight BEACONs hold. */
const MANY = 1_100;

describe('a node with more agents than a BEACON holds claims', function () {
  this.timeout(180_000);

  it('shows all of them once before another BEACON is due, and others write to them', async () => {
    const keeper = innkeeper();
    const mesh = await startMesh({ nodes: ['inn', 'far'], plugins: { inn: [keeper.plugin] } });
    try {
      const { inn, far } = mesh.nodes;
      const { agents } = keeper.got;
      const added = await Promise.all(
        Array.from({ length: MANY }, () => agents.add({ signer: agents.signerOf(randomBytes(32)) })),
      );
      const hosts = far.node.get(Hosts);
      const left = new Set(added.map(({ id }) => id));
      await happens(
        'the other node knows the host of each',
        async () => {
          for (const id of await hosts.agentsOf(inn.id)) left.delete(id);
          for (const id of left) if (await hosts.hostOf(parseAgentId(id)!)) left.delete(id);
          return left.size === 0 ? true : undefined;
        },
        120_000,
      );
      assert.equal(inn.node.get(Residents).hasUnshownClaims, false, 'nothing is left to be shown');
      const { status } = await far.post('/message', { recipient: added[0]!.id, text: 'hello' });
      assert.equal(status, 200);
      await happens('a letter comes', async () => {
        const { messages } = await agents.get(added[0]!.id)!.inbox.page();
        return messages.length === 1 || undefined;
      });
    } finally {
      await mesh.stop();
    }
  });
});
