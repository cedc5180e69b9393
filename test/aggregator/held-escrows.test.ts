import assert from 'node:assert/strict';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('the deals that hold money', function () {
  this.timeout(120_000);
  let mesh: Mesh<'ann' | 'ben'>;
  before(async () => {
    mesh = await startMesh({ nodes: ['ann', 'ben'], usdc: { ann: '50' } });
  });
  after(() => mesh.stop());

  const escrows = async (): Promise<any> =>
    ((await (await fetch(`${mesh.aggregatorNode.url}/stats/network`)).json()) as any).escrows;
  const counted = (wanted: object) =>
    happens(`the escrows are ${JSON.stringify(wanted)}`, async () => {
      const { as_of: _, organic: __, ...found } = (await escrows()) ?? {};
      return JSON.stringify(found) === JSON.stringify(wanted) || undefined;
    });

  it('are counted by their state on the ledger, with what is in them', async () => {
    const { ann, ben } = mesh.nodes;
    const none = { locked_count: 0, delivered_count: 0, disputed_count: 0, ended_count: 0, held_usdc: 0 };
    await counted(none);
    const locked = async (amount_usdc: string) => {
      const conversation_id = await accepted(ann, ben, { amount_usdc });
      await ann.client.lock(conversation_id);
      await ben.dealWhen(conversation_id, ({ escrow }) => escrow?.locked_at !== undefined);
      return conversation_id;
    };
    const deals = [await locked('1.5'), await locked('2'), await locked('0.25')];
    await counted({ ...none, locked_count: 3, held_usdc: 3.75 });
    for (const conversation_id of deals.slice(0, 2)) {
      await ben.client.deliver({ conversation_id, content: 'three', content_type: 'text/plain' });
      await ann.dealWhen(conversation_id, ({ escrow }) => escrow?.delivered_at !== undefined);
    }
    await counted({ ...none, locked_count: 1, delivered_count: 2, held_usdc: 3.75 });
    await ann.client.api.negotiation.dispute({ conversation_id: deals[1]!, reason: 'Half of it.', offer_bps: 4_000 });
    await counted({ ...none, locked_count: 1, delivered_count: 1, disputed_count: 1, held_usdc: 3.75 });
    await ann.client.escrow('approve', { conversation_id: deals[0]! });
    await counted({ ...none, locked_count: 1, disputed_count: 1, ended_count: 1, held_usdc: 2.25 });
    const { as_of: when } = await escrows();
    assert.ok(Math.abs(Date.now() - Date.parse(when)) < 60_000);
    // Without an anchor no money is grounded, so none of it is organic.
    await happens('what is organic was counted', async () => {
      const { organic } = await escrows();
      if (organic === null) return undefined;
      const { as_of: _, ...counts } = organic;
      assert.deepEqual(counts, {
        ...{ version: 2, locked_count: 0, delivered_count: 0, disputed_count: 0, held_usdc: 0 },
      });
      return true;
    });
  });

  it('stand beside the stake of each agent in the lists', async () => {
    const { ann, ben } = mesh.nodes;
    await ann.client.api.stake.add({ amount_usdc: '10' });
    await happens('the stake is in the lists', async () => {
      for (const path of ['agents?limit=10', `agents/search?q=${ann.id.slice(0, 8)}`]) {
        const rows: any[] = (await (await fetch(`${mesh.aggregatorNode.url}/${path}`)).json()) as any[];
        const stakes = new Map(rows.map(({ agent_id, stake_usdc }) => [agent_id, stake_usdc]));
        if (stakes.get(ann.id) !== 10) return undefined;
        assert.ok([0, undefined].includes(stakes.get(ben.id)));
      }
      return true;
    });
  });
});
