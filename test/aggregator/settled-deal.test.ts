import assert from 'node:assert/strict';
import { toHex } from '../../core/platform/bytes.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('a deal that the ledger settled', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let events: any[];
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], usdc: { alice: '10' } });
    const { alice, bob } = mesh.nodes;
    const watched = alice.watch('/ws/events?ids=hex');
    const conversation_id = await accepted(alice, bob, { amount_usdc: '2.5' });
    assert.equal((await alice.post('/escrow/lock', { conversation_id })).status, 200);
    assert.equal((await alice.post('/escrow/approve', { conversation_id })).status, 200);
    await alice.dealWhen(conversation_id, 'settled');
    await happens('an event of the deal', async () => watched.frames.some(({ type }) => type === 'deal') || undefined);
    watched.socket.close();
    events = watched.frames;
  });
  after(() => mesh.stop());

  const read = async (path: string): Promise<any> => (await fetch(mesh.aggregatorNode.url + path)).json();

  it('is part of the volume of the network', async () => {
    const stats = await happens('the payment is counted', async () => {
      const found = await read('/stats/network');
      return found.volume_usdc > 0 ? found : undefined;
    });
    assert.deepEqual([stats.volume_usdc, stats.deal_count], [2.5, 1]);
  });

  it('names its sides in hex for whoever asks for that, in ledger events and in events of the node', async () => {
    const [alice, bob] = [mesh.nodes.alice.id, mesh.nodes.bob.id].map((id) => toHex(parseAgentId(id)!));
    const released = await happens('the release is read', async () => {
      const found: any[] = await read('/ledger/events?ids=hex');
      return found.find(({ event }) => event === 'escrow_approved');
    });
    assert.deepEqual([released.requester, released.provider], [alice, bob]);
    const { data } = events.find(({ type }) => type === 'deal');
    assert.deepEqual([data.requester, data.provider], [alice, bob]);
  });
});
