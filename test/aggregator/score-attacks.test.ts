import assert from 'node:assert/strict';
import { listLeaders } from '../../core/aggregator/agents/listing.ts';
import { searchByName } from '../../core/aggregator/agents/search.ts';
import { entryEffect } from '../../core/aggregator/ledger/effects/index.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { explanations } from '../../core/aggregator/store/scores.ts';
import type { SettlementEvent } from '../../core/protocol/settlement/events.ts';
import { type SettlementBench, settlementBench, USDC } from '../ledger/settlement-bench.ts';
import { newConversation, signDeal, TestAgent, type Wire } from './support/agent.ts';
import { LedgerDomain } from './support/ledger-domain.ts';

const NEWCOMER = -28.62;

describe('attacks on the score, through the ingest and a real ledger,', function () {
  this.timeout(120_000);
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

  const standing = async ({ id }: TestAgent) => (await at.domain.space.get(agents.ref(id)))!.standing;
  const stranger = (name: string) => new TestAgent(`${name} ${Math.random()}`, () => at.domain.clock.now());

  async function taken(wires: readonly Wire[]): Promise<void> {
    for (let n = 0; n < wires.length; n += 100) {
      const found = await at.domain.take(...wires.slice(n, n + 100));
      assert.deepEqual([...new Set(found)], ['accepted']);
    }
  }

  /** A deal of 40 USDC that was locked, delivered, approved and rated. */
  async function paidDeal(value = 100) {
    const made = await at.deliveredDeal();
    await at.report(made);
    await bench.take({ type: 'approve', ...made.name }, at.by(made.payer));
    await at.follow();
    await at.domain.take(made.payer.feedback(made.worker, made.deal.conversation, value));
    return made;
  }

  /** A deal that costs nothing, with what its requester says of it. */
  function freeDeal(requester: TestAgent, provider: TestAgent, value: number): Wire[] {
    const { conversation, propose, accept, deliver } = signDeal(requester, provider, at.domain.clock.now());
    return [propose, accept, deliver, requester.feedback(provider, conversation, value)];
  }

  it('a ring of twenty free keys ranks nowhere: one honest paid deal stands above all of them', async () => {
    const { payer, worker } = await paidDeal();
    at.domain.anchors.push(payer.id);
    const ring = Array.from({ length: 20 }, (_, index) => stranger(`ring ${index}`));
    await taken(ring.flatMap((from) => ring.flatMap((to) => (from === to ? [] : freeDeal(from, to, 100)))));
    await at.domain.score();
    const honest = await standing(worker);
    assert.ok(honest.score > 60 && honest.rank > 40, JSON.stringify(honest));
    for (const key of ring) {
      const { score, rank, counts } = await standing(key);
      assert.equal(counts.positive, 19);
      assert.ok(score <= 5, `the score is ${score}`);
      assert.equal(rank, NEWCOMER, 'as if nothing had been said');
    }
    const [first] = await listLeaders(at.domain.space, { limit: 1, offset: 0 });
    assert.equal(first!.agent_id, worker.id);
  });

  it('a ring of free keys without any anchor in the mesh stays below one honest paid deal as well', async () => {
    const { worker } = await paidDeal();
    const ring = Array.from({ length: 6 }, (_, index) => stranger(`ring ${index}`));
    await taken(ring.flatMap((from) => ring.flatMap((to) => (from === to ? [] : freeDeal(from, to, 100)))));
    await at.domain.score();
    const honest = await standing(worker);
    assert.ok(honest.score > 5 && honest.score <= 9, JSON.stringify(honest));
    for (const key of ring) assert.ok((await standing(key)).rank < honest.rank);
  });

  it('twenty free keys take at most three points from an agent, whatever it signed for them', async () => {
    const { payer, worker } = await paidDeal();
    at.domain.anchors.push(payer.id);
    await at.domain.score();
    const before = await standing(worker);
    const smears = Array.from({ length: 20 }, (_, index) => stranger(`smear ${index}`));
    // Half have it deliver for nothing; half end a deal by themselves, of which it has made an offer.
    await taken(
      smears.flatMap((key, index) => {
        if (index % 2 === 0) return freeDeal(key, worker, -100);
        const conversation = newConversation();
        const offer = { amount_usdc_micro: 1n, message: 'x', max_rounds: 2 };
        const own = key.sign('PROPOSE', { to: worker, conversation, payload: offer });
        const offered = { amount_usdc_micro: 2n, message: 'y', round: 2 } as never;
        const counter = worker.sign('COUNTER', { to: key, conversation, payload: offered });
        const agreed = { amount_usdc_micro: 2n, offer_id: counter.id };
        const accept = key.sign('ACCEPT', { to: worker, conversation, payload: agreed });
        const content = { conversation_id: conversation, content_type: 'text/plain', inline_b64: 'b2s=' } as never;
        const deliver = key.sign('DELIVER', { to: worker, conversation, payload: content });
        return [own, counter, accept, deliver, key.feedback(worker, conversation, -100)];
      }),
    );
    await at.domain.score();
    const after = await standing(worker);
    assert.ok(after.counts.negative >= 10, JSON.stringify(after.counts));
    assert.ok(before.score - after.score <= 3 && before.score > after.score, `${before.score} to ${after.score}`);
    assert.ok(before.rank - after.rank <= 3, `${before.rank} to ${after.rank}`);
  });

  it('money in a circle of three weighs nothing', async () => {
    const { payer } = await paidDeal();
    at.domain.anchors.push(payer.id);
    const circle = [await at.newAgent(), await at.newAgent(), await at.newAgent()];
    for (const [index, from] of circle.entries()) await settle(from, circle[(index + 1) % 3]!);
    await at.follow();
    await at.domain.score();
    for (const [index, from] of circle.entries()) {
      const to = circle[(index + 1) % 3]!;
      const pair = (await at.pairOf(from, to))!;
      assert.deepEqual([pair.paid, pair.said.paid.mass], ['40000000', 40], 'it was paid and rated');
      const { score, rank } = await standing(to);
      assert.deepEqual([score, rank], [0, NEWCOMER]);
    }
  });

  /** A deal of 40 USDC between two who are there already. */
  async function settle(payer: TestAgent, worker: TestAgent): Promise<void> {
    const { agreedLock } = await import('../../core/protocol/deals/agreed-lock.ts');
    const { completeTerms } = await import('../../core/protocol/deals/terms.ts');
    const said = { amount_usdc_micro: 40n * USDC, escrow: true, deadline_secs: 7_200, review_secs: 7_200 };
    const deal = signDeal(payer, worker, at.domain.clock.time, said);
    const name = { requester: payer.id, provider: worker.id, conversation: deal.conversation };
    const given = { amount: '40000000', escrow: true, deadline_secs: 7_200, review_secs: 7_200, notary: null };
    const accepted = { id: deal.accept.id, at: at.domain.clock.time + 1 };
    const lock = agreedLock({ ...name, terms: completeTerms(given, undefined, 0), accepted });
    await bench.take({ type: 'lock', ...lock }, at.by(payer));
    await bench.take({ type: 'deliver', ...name, delivery: deal.deliver.id }, at.by(worker));
    await at.domain.take(deal.propose, deal.accept, deal.deliver);
    await bench.take({ type: 'approve', ...name }, at.by(payer));
    await at.follow();
    await at.domain.take(payer.feedback(worker, deal.conversation, 100));
  }

  it('deals inside one owner’s cluster count for nothing, from when the link is on the ledger', async () => {
    const { payer, worker } = await paidDeal();
    at.domain.anchors.push(payer.id);
    await at.domain.score();
    assert.ok((await standing(worker)).score > 60);
    const owner = stranger('wallet').id;
    for (const { id } of [payer, worker]) await told({ name: 'owner_claimed', key: id, agentId: id, owner });
    await at.domain.score();
    assert.deepEqual([(await standing(worker)).score, (await standing(worker)).rank], [0, NEWCOMER]);
  });

  it('links that name another agent than their key bind nobody', async () => {
    const { payer, worker } = await paidDeal();
    at.domain.anchors.push(payer.id);
    const thief = stranger('thief');
    const owner = stranger('wallet').id;
    await told({ name: 'owner_claimed', key: thief.id, agentId: worker.id, owner });
    await told({ name: 'owner_claimed', key: payer.id, agentId: payer.id, owner });
    await at.domain.score();
    assert.ok((await standing(worker)).score > 60);
  });

  it('a lease that was paid grounds a tenth of itself', async () => {
    const { payer, worker } = await paidDeal();
    await told({ name: 'lease_paid', key: payer.id, payer: payer.id, amount: 50n * USDC, paidThrough: 9 });
    await at.domain.score();
    const { grounded_usdc, raters } = (await at.domain.space.get(explanations.ref(worker.id)))!;
    assert.ok(Math.abs(grounded_usdc - 5) < 1e-6, `${grounded_usdc}`);
    assert.deepEqual([raters[0]!.cluster, raters[0]!.anchor, raters[0]!.paid_usdc], [payer.id, false, 40]);
  });

  it('a name that is squatted leads to whoever is best, then to whoever was seen first', async () => {
    const { payer, worker } = await paidDeal();
    at.domain.anchors.push(payer.id);
    const [early, late] = [stranger('squatter'), stranger('squatter')];
    await taken([early.beacon('word-counter', {}, at.domain.clock.now() - 5_000), late.beacon('word-counter')]);
    await taken([worker.beacon('word-counter')]);
    await at.domain.score();
    for (const asked of ['word-counter', 'word', 'count']) {
      const found = await searchByName(at.domain.space, asked, { limit: 10, offset: 0 });
      assert.deepEqual(
        found.map(({ agent_id }) => agent_id),
        [worker.id, early.id, late.id],
        asked,
      );
    }
  });

  /** An event as the indexer takes it. */
  async function told(facts: { name: 'owner_claimed' | 'lease_paid' } & Record<string, unknown>): Promise<void> {
    const place = { signature: '1'.repeat(64), ordinal: 0, slot: 1, time: Math.floor(at.domain.clock.now() / 1000) };
    const event = { ...place, feePayer: String(facts['key']), ...facts } as unknown as SettlementEvent;
    const effect = entryEffect(event, at.domain);
    await at.domain.space.tx(await effect.reads(), (tx) => effect.apply(tx));
  }
});
