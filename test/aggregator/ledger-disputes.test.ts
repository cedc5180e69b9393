import assert from 'node:assert/strict';
import { type SettlementBench, settlementBench } from '../ledger/settlement-bench.ts';
import type { TestAgent } from './support/agent.ts';
import { LedgerDomain, type LockedDeal } from './support/ledger-domain.ts';

describe('disputes on the ledger, in the eyes of an aggregator,', function () {
  this.timeout(60_000);
  let bench: SettlementBench;
  let at: LedgerDomain;

  before(async () => {
    bench = await settlementBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    at = await LedgerDomain.open(bench);
  });
  afterEach(() => at.close());

  /** Weight and sum of what the disputes of an agent say, and how many of each kind. */
  async function disputesOf(agent: TestAgent) {
    const { counts } = await at.standingOf(agent);
    const { disputes } = (await at.deedsOf(agent)) ?? {};
    const { conceded = 0, burnt = 0, lost = 0 } = counts;
    return { weight: disputes?.mass ?? 0, sum: disputes?.sum ?? 0, conceded, burnt, lost };
  }
  const NONE = { weight: 0, sum: 0, conceded: 0, burnt: 0, lost: 0 };

  const endings: [string, (deal: LockedDeal, notary: TestAgent) => Promise<void>, object, object][] = [
    [
      'a dispute that is conceded at nothing',
      (deal) => at.dispute(deal).then(() => at.split(deal)),
      { weight: 1, sum: -50, conceded: 1 },
      {},
    ],
    [
      'one that is conceded at 60 %',
      (deal) => at.dispute(deal, 6_000).then(() => at.split(deal)),
      { weight: 1, sum: -20, conceded: 1 },
      {},
    ],
    [
      'one after which the provider gives all back',
      async (deal) => {
        await at.dispute(deal, 6_000);
        await bench.take({ type: 'refund', ...deal.name }, at.by(deal.worker));
      },
      { weight: 1, sum: -20, conceded: 1 },
      {},
    ],
    [
      'a burn',
      async (deal) => {
        await at.dispute(deal);
        await at.contest(deal);
        await at.split(deal);
      },
      { weight: 1, sum: -25, burnt: 1 },
      { weight: 1, sum: -25, burnt: 1 },
    ],
    [
      'a decision for the provider',
      async (deal, notary) => {
        await at.dispute(deal);
        await at.contest(deal);
        await bench.take({ type: 'decide', ...deal.name, forProvider: true }, at.by(notary));
        await paidOut(deal);
      },
      {},
      { weight: 1, sum: -50, lost: 1 },
    ],
    [
      'a decision for the requester',
      async (deal, notary) => {
        await at.dispute(deal);
        await at.contest(deal);
        await bench.take({ type: 'decide', ...deal.name, forProvider: false }, at.by(notary));
        await paidOut(deal);
      },
      { weight: 1, sum: -50, lost: 1 },
      {},
    ],
    [
      'a dispute that its requester takes back',
      async (deal) => {
        await at.dispute(deal);
        await bench.take({ type: 'approve', ...deal.name }, at.by(deal.payer));
      },
      {},
      {},
    ],
    [
      'a refund without a dispute',
      async (deal) => bench.take({ type: 'refund', ...deal.name }, at.by(deal.worker)).then(() => {}),
      {},
      {},
    ],
  ];
  for (const [what, happen, provider, requester] of endings)
    it(`count ${what} as docs/reputation.md says, once`, async () => {
      const notary = await at.newAgent(0n);
      const deal = await at.deliveredDeal({}, notary);
      await at.report(deal);
      await happen(deal, notary);
      for (let times = 0; times < 2; times += 1) {
        await at.follow();
        assert.deepEqual(await disputesOf(deal.worker), { ...NONE, ...provider });
        assert.deepEqual(await disputesOf(deal.payer), { ...NONE, ...requester });
      }
    });

  /** After a decision the dues may wait for anyone to have them paid. */
  async function paidOut(deal: LockedDeal): Promise<void> {
    if ((await bench.settlement.escrow(deal.name)) === undefined) return;
    await bench.take({ type: 'split', ...deal.name }, at.by(await at.newAgent(0n)));
  }

  it('weigh a burn by what was burnt, and lower the score', async () => {
    const deal = await at.deliveredDeal();
    await at.report(deal);
    await at.dispute(deal, 9_500);
    await at.contest(deal);
    await at.split(deal, 0);
    await at.follow();
    assert.equal((await at.escrow(deal.name))!.payouts!.burnt, '3000000');
    const { weight } = await disputesOf(deal.worker);
    assert.ok(Math.abs(weight - 0.3) < 1e-9, String(weight));
    await at.domain.score();
    assert.equal((await at.standingOf(deal.payer)).score, -1);
  });

  it('move nobody’s score by disputes about a lock that was not agreed', async () => {
    const deal = await at.deliveredDeal({ amount: 1n, bond: 0n });
    await at.report(deal);
    await at.dispute(deal);
    await at.split(deal);
    await at.follow();
    assert.deepEqual(await disputesOf(deal.worker), NONE);
    assert.equal((await at.escrow(deal.name))!.state, 'split');
  });

  it('count a dispute of a private deal, for which the provider named its delivery on the ledger', async () => {
    const deal = await at.deliveredDeal();
    await at.reportReceipts(deal);
    await at.dispute(deal);
    await at.split(deal);
    await at.follow();
    assert.deepEqual(await disputesOf(deal.worker), { ...NONE, weight: 1, sum: -50, conceded: 1 });
  });
});
