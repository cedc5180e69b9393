import assert from 'node:assert/strict';
import { Digest } from '../../core/aggregator/flows/digest.ts';
import { edgeOf } from '../../core/aggregator/flows/view.ts';
import { flowRef } from '../../core/aggregator/store/flows.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { type SettlementBench, settlementBench } from '../ledger/settlement-bench.ts';
import { LedgerDomain, never } from './support/ledger-domain.ts';

describe('flows of money on the ledger', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let at: LedgerDomain;

  before(async () => {
    bench = await settlementBench();
    at = await LedgerDomain.open(bench);
  });
  after(async () => {
    await at.close();
    await bench.close();
  });

  it('are what an escrow paid its provider, once, and say that they are settled', async () => {
    const deal = await at.deliveredDeal();
    await at.report(deal);
    await bench.take({ type: 'approve', ...deal.name }, at.by(deal.payer));
    const { space, clock } = at.domain;
    for (let round = 0; round < 3; round++) {
      await at.follow();
      while (await new Digest({ space, clock, random: systemRandom }).run(never));
    }
    const flow = await space.get(flowRef(deal.payer.id, deal.worker.id));
    assert.ok(flow);
    const { kind, settled_usdc, payment_count, rating_count, avg_score } = edgeOf(flow, '24h');
    assert.deepEqual([kind, settled_usdc, payment_count, rating_count, avg_score], ['settled', 40, 1, 0, null]);
  });
});
