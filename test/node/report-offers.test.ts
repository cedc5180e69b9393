import assert from 'node:assert/strict';
import { SPACE } from '../../core/aggregator/providers.ts';
import { dealRef, type StoredDeal } from '../../core/aggregator/store/deals.ts';
import { Store } from '../../core/internal-services.ts';
import { acceptanceOf } from '../../core/protocol/deals/record.ts';
import { agreementOf } from '../../core/protocol/deals/record-agreement.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('what nodes report of their offers', function () {
  this.timeout(30_000);
  let mesh: Mesh<'alice' | 'bob'>;
  afterEach(() => mesh.stop());

  /** The deal as the aggregator has it, once it knows that it was made. */
  async function dealAtAggregator(settings: object): Promise<StoredDeal> {
    mesh = await startMesh({ nodes: ['alice', 'bob'], settings: { ...settings } });
    const { alice, bob } = mesh.nodes;
    const conversation = await accepted(alice, bob, { deadline_secs: 7_200 });
    const space = mesh.aggregatorNode.get(Store).space(SPACE);
    return happens('the deal is known to the aggregator', async () => {
      const deal = await space.get(dealRef(conversation, alice.id, bob.id));
      return deal && acceptanceOf(deal.record) ? deal : undefined;
    });
  }

  it('is who wrote to whom and when, unless their operator says otherwise', async () => {
    const deal = await dealAtAggregator({});
    assert.equal(agreementOf(deal.record), undefined);
    assert.equal(deal.record.heard, undefined);
  });

  it('is the offers and the ACCEPT whole, where it says `offers`: then the aggregator knows what was agreed', async () => {
    const { record } = await dealAtAggregator({ mesh: { report: 'offers' } });
    const { alice, bob } = mesh.nodes;
    const { requester, provider, terms } = agreementOf(record)!;
    assert.deepEqual([requester, provider, terms.deadline_secs], [alice.id, bob.id, 7_200]);
  });
});
