import assert from 'node:assert/strict';
import { escrowEffect } from '../../core/aggregator/ingest/effects/deal.ts';
import { dealRef, deals, parties, partyRef } from '../../core/aggregator/store/deals.ts';
import type { Payloads } from '../../core/protocol/envelopes/payloads/payloads.ts';
import { signDeal, TestAgent } from './support/agent.ts';
import { type Domain, openDomain } from './support/domain.ts';

describe('what finds the deal of one side', () => {
  let domain: Domain;
  let ann: TestAgent;
  let bob: TestAgent;
  let notary: TestAgent;
  beforeEach(async () => {
    domain = await openDomain();
    [ann, bob, notary] = ['ann', 'bob', 'notary'].map((name) => new TestAgent(name, () => domain.clock.now())) as [
      TestAgent,
      TestAgent,
      TestAgent,
    ];
  });
  afterEach(() => domain.store.close());

  /** In this order; ratings that come before the delivery wait for it. */
  const told = async (order: readonly ('deliver' | 'ratings')[]) => {
    const deal = signDeal(ann, bob);
    const ratings = [ann.feedback(bob, deal.conversation, 80), bob.feedback(ann, deal.conversation, 60)];
    await domain.take(deal.propose, deal.accept);
    assert.equal(await domain.space.count(parties), 2);
    for (const what of order) await domain.take(...(what === 'deliver' ? [deal.deliver] : ratings));
    return deal;
  };

  for (const order of [
    ['deliver', 'ratings'],
    ['ratings', 'deliver'],
  ] as const)
    it(`is gone once both sides have rated each other, and the deal stays: ${order.join(', then ')}`, async () => {
      const { conversation } = await told(order);
      assert.equal(await domain.space.count(parties), 0);
      const { record } = (await domain.space.get(dealRef(conversation, ann.id, bob.id)))!;
      assert.deepEqual([record.rated.length, record.deliveries.length], [2, 1]);
      assert.equal(await domain.space.count(deals), 1);
    });

  it('is not made again by what a side signed of the settled deal and is told late', async () => {
    const { conversation } = await told(['deliver', 'ratings']);
    const late = bob.sign('DELIVER', { to: ann, conversation, payload: delivery(conversation) });
    await domain.take(late);
    assert.equal(await domain.space.count(parties), 0);
  });

  it('is there again when the ledger tells late of an escrow, whose notary is to be heard', async () => {
    const { conversation, accept } = await told(['deliver', 'ratings']);
    const lock = { requester: ann.id, provider: bob.id, notary: notary.id, deadline: 9, at: 1 } as never;
    const fact = { type: 'locked', terms: accept.id, locked_at: 1, amount: '1000', lock } as never;
    const effect = escrowEffect(fact, { conversation, requester: ann.id, provider: bob.id }, domain);
    await domain.space.tx(await effect.reads(), (tx) => effect.apply(tx));
    for (const [side, other] of [
      [ann, bob],
      [bob, ann],
    ] as const)
      assert.deepEqual((await domain.space.get(partyRef(conversation, side.id)))?.with, [other.id]);
  });

  it('stays of a side that deals with somebody else in the conversation, or was told a verdict', async () => {
    const deal = signDeal(ann, bob);
    const { conversation } = deal;
    const beside = ann.sign('PROPOSE', {
      to: notary,
      conversation,
      payload: { amount_usdc_micro: 1_000_000n, message: 'beside', max_rounds: 2 },
    });
    const verdict = notary.sign('VERDICT', { to: bob, conversation, payload: { outcome: 'approve' } });
    await domain.take(deal.propose, deal.accept, deal.deliver, beside, verdict);
    await domain.take(ann.feedback(bob, conversation, 80), bob.feedback(ann, conversation, 60));
    assert.deepEqual(
      (await domain.space.get(partyRef(conversation, ann.id)))?.with.toSorted(),
      [bob.id, notary.id].sort(),
    );
    assert.equal((await domain.space.get(partyRef(conversation, bob.id)))?.verdicts.length, 1);
  });
});

function delivery(conversation: string): Payloads['DELIVER'] {
  const inline_b64 = Buffer.from('late').toString('base64');
  return { conversation_id: conversation, content_type: 'text/plain', inline_b64 } as Payloads['DELIVER'];
}
