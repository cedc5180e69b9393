import assert from 'node:assert/strict';
import type { TestAgent } from './support/agent.ts';
import type { AgreedDeal } from './support/agreed-deals.ts';
import { LiveLedger } from './support/live-ledger.ts';

/** What arrives at the aggregator, in some order: reports over HTTP, and what it reads on the ledger by itself. */
type Arrival = 'propose' | 'accept' | 'deliver' | 'rating' | 'answer' | 'lock' | 'end' | 'contents';
type Order = readonly Arrival[];

const ORDERS: readonly Order[] = [
  ['propose', 'accept', 'deliver', 'lock', 'end', 'rating', 'answer'],
  ['propose', 'accept', 'deliver', 'rating', 'answer', 'lock', 'end'],
  ['propose', 'accept', 'deliver', 'lock', 'rating', 'answer', 'end'],
  ['answer', 'rating', 'deliver', 'accept', 'propose', 'lock', 'end'],
  ['lock', 'end', 'rating', 'deliver', 'propose', 'accept', 'answer'],
  ['rating', 'lock', 'accept', 'answer', 'deliver', 'propose', 'end'],
  ['deliver', 'rating', 'accept', 'propose', 'lock', 'answer', 'end'],
  ['accept', 'propose', 'deliver', 'answer', 'contents', 'rating', 'lock', 'end'],
];
const PAYERS = ORDERS.map((_, index) => `anchor of arrivals ${index}`);
const REFUNDED: readonly Order[] = [
  ['contents', 'lock', 'end', 'rating'],
  ['contents', 'rating', 'lock', 'end'],
  ['contents', 'lock', 'rating', 'end'],
  ['propose', 'accept', 'deliver', 'rating', 'lock', 'end', 'contents'],
  ['rating', 'lock', 'end', 'contents'],
];

describe('reports and ledger events that arrive in any order', function () {
  this.timeout(120_000);
  let at: LiveLedger;

  before(async () => {
    at = await LiveLedger.open([...PAYERS, ...REFUNDED.map((_, index) => `anchor of refunds ${index}`)]);
  });
  after(() => at?.stop());

  async function arrive(order: Order, deal: AgreedDeal, value: number, ending: 'released' | 'refunded'): Promise<void> {
    const { propose, accept, deliver, payer, worker, conversation } = deal;
    const rating = payer.feedback(worker, conversation, value);
    const answer = worker.feedback(payer, conversation, 80);
    const steps: Record<Arrival, () => Promise<void>> = {
      propose: () => at.report(propose.receipt),
      accept: () => at.report(accept.receipt),
      deliver: () => at.report(deliver.receipt),
      contents: () => at.report(propose.whole, accept.whole, deliver.whole),
      rating: () => at.report(rating.whole),
      answer: () => at.report(answer.whole),
      async lock() {
        await at.lock(deal);
        await at.deliver(deal);
        await at.seen(deal, 'delivered');
      },
      async end() {
        await (ending === 'released' ? at.approve(deal) : at.refund(deal));
        await at.seen(deal, ending);
      },
    };
    for (const step of order) await steps[step]();
  }

  async function played(
    orders: readonly Order[],
    names: readonly string[],
    value: number,
    ending: 'released' | 'refunded',
  ) {
    return Promise.all(
      orders.map(async (order, index) => {
        const [payer, worker] = [at.agent(names[index]!), at.agent(`worker of ${names[index]}`)];
        await at.fund(payer, 150);
        await at.fund(worker, 0);
        if (ending === 'refunded') await spend(payer);
        await arrive(order, at.agreed(payer, worker, 40), value, ending);
        return { order, payer, worker };
      }),
    );
  }

  /** Whoever has never paid anybody grounds nothing. */
  async function spend(payer: TestAgent): Promise<void> {
    const deal = at.agreed(payer, at.agent(`somebody else for ${payer.id}`), 40);
    await at.lock(deal);
    await at.approve(deal);
    await at.report(deal.propose.receipt, deal.accept.receipt);
  }

  /** What the score was made of, but for the names in it and when its last change was. */
  async function madeOf(agent: TestAgent, isDone: (answer: any) => boolean) {
    const { score, lower_bound, points, grounded_usdc, raters, counts } = await at.reputation(agent, isDone);
    return {
      score,
      lower_bound,
      points,
      grounded_usdc,
      raters: raters.map(({ cluster: _, ...rest }: any) => rest),
      counts,
    };
  }

  it('come to one score where the money was released', async () => {
    const deals = await played(ORDERS, PAYERS, 100, 'released');
    for (const { order, worker } of deals) {
      const found = await madeOf(worker, ({ raters, points }) => raters[0]?.value === 100 && points.grounded > 60);
      assert.ok(found.score > 60, `${order}: ${JSON.stringify(found)}`);
      assert.deepEqual(found, await madeOf(deals[0]!.worker, () => true), order.join());
      assert.deepEqual(found.points.free, 0, 'nothing is left of having counted for nothing');
    }
    for (const { order, payer } of deals) {
      // A word that was counted for nothing would be a point; one of who was paid weighs what others vouch for, here nothing.
      const found = await madeOf(payer, ({ points, counts }) => counts.positive === 1 && points.free === 0);
      assert.equal(found.score, 0, order.join());
    }
  });

  it('come to one score where the money came back and the payer speaks ill', async () => {
    const names = REFUNDED.map((_, index) => `anchor of refunds ${index}`);
    const deals = await played(REFUNDED, names, -100, 'refunded');
    for (const { order, worker } of deals) {
      const found = await madeOf(worker, ({ points }) => points.blame < -40);
      assert.ok(found.score < -40, `${order}: ${JSON.stringify(found)}`);
      assert.deepEqual(found, await madeOf(deals[0]!.worker, () => true), order.join());
    }
  });
});
