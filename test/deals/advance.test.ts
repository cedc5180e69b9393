import assert from 'node:assert/strict';
import { advance, attempt } from '../../core/protocol/deals/advance.ts';
import { type Deal, lastOffer, MAX_PAYMENTS, type Terms } from '../../core/protocol/deals/deal.ts';
import type { ProposeEvent } from '../../core/protocol/deals/events.ts';
import { openDeal } from '../../core/protocol/deals/open.ts';
import { nextTimer, onTimer } from '../../core/protocol/deals/timers.ts';
import { MAX_HISTORY } from '../support/max-history.ts';
import { ALICE, accept, applied, BOB, DAY, event, HOUR, NOTARY, opened, proposal, T0 } from './builders.ts';

describe('opening a deal', () => {
  it('fills in the defaults', () => {
    const deal = opened();
    const { amount, deadline_secs, review_secs, expires_at, escrow, notary } = lastOffer(deal);
    assert.deepEqual(
      { amount, deadline_secs, review_secs, expires_at, escrow, notary },
      {
        amount: '5000000',
        deadline_secs: 86_400,
        review_secs: 86_400,
        expires_at: T0 + 12 * HOUR,
        escrow: false,
        notary: null,
      },
    );
    assert.equal(deal.max_rounds, 2);
    assert.deepEqual([deal.requester, deal.provider], [ALICE, BOB]);
  });

  it('makes the proposer the provider when it offers its work', () => {
    const deal = opened({}, { as: 'provider' });
    assert.deepEqual([deal.requester, deal.provider], [BOB, ALICE]);
  });

  const refused: [Partial<Terms>, Partial<ProposeEvent>, RegExp][] = [
    [{ amount: '-1' }, {}, /whole number/],
    [{ amount: '1.5' }, {}, /whole number/],
    [{ amount: '01' }, {}, /whole number/],
    [{ amount: '' }, {}, /whole number/],
    [{ amount: String(2n ** 63n) }, {}, /2\^63/],
    [{ expires_at: T0 }, {}, /expire/],
    [{ expires_at: T0 + 31 * DAY }, {}, /30 days/],
    [{ expires_at: Number.NaN }, {}, /expire/],
    [{ deadline_secs: 0 }, {}, /deadline_secs/],
    [{ deadline_secs: 7_776_001 }, {}, /deadline_secs/],
    [{ deadline_secs: 1.5 }, {}, /deadline_secs/],
    [{ review_secs: 0 }, {}, /review_secs/],
    [{ review_secs: 1_209_601 }, {}, /review_secs/],
    [{ notary: BOB }, {}, /third party/],
    [{ notary: ALICE }, {}, /third party/],
    [{ escrow: true, amount: '0' }, {}, /nothing to lock/],
    [{ escrow: true, deadline_secs: 59 }, {}, /at least 60/],
    [{ escrow: true, review_secs: 3_599 }, {}, /at least 3600/],
    [{}, { to: ALICE }, /two parties/],
    [{}, { max_rounds: 11 }, /max_rounds/],
    [{}, { max_rounds: -1 }, /max_rounds/],
    [{}, { max_rounds: 0.5 }, /max_rounds/],
  ];
  for (const [terms, more, detail] of refused)
    it(`refuses ${JSON.stringify({ ...terms, ...more })}`, () => {
      const step = openDeal(proposal(terms, more));
      assert.ok(!step.ok && step.code === 'invalid_transition');
      assert.match(step.detail, detail);
    });

  it('takes the limits themselves', () => {
    const most = {
      amount: String(2n ** 63n - 1n),
      deadline_secs: 7_776_000,
      review_secs: 1_209_600,
      expires_at: T0 + 30 * DAY,
    };
    assert.equal(opened(most, { max_rounds: 10 }).state, 'proposed');
    assert.equal(opened({ amount: '1', deadline_secs: 60, review_secs: 3_600, escrow: true }).state, 'proposed');
  });

  it('refuses a counter whose terms cannot stand, and keeps the terms it leaves out', () => {
    const deal = opened({ deadline_secs: 7_200, notary: NOTARY });
    const bad = advance(deal, event('counter', BOB, 1, { terms: { amount: '5', deadline_secs: 0 } }));
    assert.ok(!bad.ok && /deadline_secs/.test(bad.detail));
    const offer = lastOffer(applied(deal, event('counter', BOB, 1, { terms: { amount: '5' } })));
    assert.deepEqual([offer.deadline_secs, offer.notary, offer.expires_at], [7_200, NOTARY, T0 + 60_000 + 12 * HOUR]);
  });
});

describe('applying an event', () => {
  it('changes nothing the second time, whatever the event', () => {
    const events = [
      event('counter', BOB, 1, { terms: { amount: '6000000' } }),
      event('counter', ALICE, 2, { id: 'c2', terms: { amount: '5500000' } }),
      accept(BOB, 3, 'c2', '5500000'),
      event('paid', ALICE, 4, { amount: '1' }),
      event('deliver', BOB, 5),
      event('dispute', ALICE, 6),
      event('verdict', NOTARY, 7, { outcome: 'approve' }),
    ];
    let deal = opened({ notary: NOTARY });
    for (const [i, one] of events.entries()) {
      deal = applied(deal, one);
      for (const seen of events.slice(0, i + 1))
        assert.deepEqual(advance(deal, seen), { ok: true, deal, outcome: 'duplicate' });
    }
    assert.deepEqual(advance(deal, proposal()), { ok: true, deal, outcome: 'duplicate' });
  });

  it('leaves the deal it was given as it was', () => {
    const deal = Object.freeze(opened());
    const before = JSON.stringify(deal);
    applied(deal, accept());
    assert.equal(JSON.stringify(deal), before);
  });

  it('lets the lower id win where both sides open the conversation', () => {
    const high = proposal({}, { id: 'b' });
    const low = proposal({ amount: '7' }, { id: 'a', by: BOB, to: ALICE });
    const first = openDeal(high);
    const second = openDeal(low);
    assert.ok(first.ok && second.ok);
    const here = advance(first.deal, low);
    const there = advance(second.deal, high);
    assert.ok(here.ok && here.outcome === 'applied' && there.ok && there.outcome === 'crossed');
    assert.deepEqual(here.deal.offers, there.deal.offers);
    assert.deepEqual([here.deal.requester, there.deal.requester], [BOB, BOB]);
  });

  it('says which refusals may heal', () => {
    const deal = opened({ notary: NOTARY });
    const early = [
      event('deliver', BOB, 1),
      event('verdict', NOTARY, 1, { outcome: 'approve' }),
      event('paid', ALICE, 1, { amount: '1' }),
      accept(BOB, 1, 'not yet here'),
      event('reject', BOB, 1, { offer: 'not yet here' }),
    ];
    for (const one of early) {
      const step = advance(deal, one);
      assert.ok(!step.ok && step.premature, one.type);
    }
    const never = advance(deal, event('deliver', ALICE, 1));
    assert.ok(!never.ok && !never.premature);
  });

  it('takes the delivery that the ledger names in place of another', () => {
    const locked = applied(opened(), accept(), event('locked', 'chain', 2), event('deliver', BOB, 3, { id: 'x' }));
    const named = applied(locked, event('escrow_delivered', 'chain', 4, { delivery: 'y' }));
    assert.equal(nextTimer(named)?.kind, 'dispute');
    const healed = applied(named, event('deliver', BOB, 5, { id: 'y' }));
    assert.equal(nextTimer(healed)?.kind, 'claim');
    assert.ok(!advance(healed, event('deliver', BOB, 6)).ok);
  });

  it('keeps the longest possible deal within its bounds', () => {
    let deal = opened({ notary: NOTARY }, { id: 'z', max_rounds: 10 });
    deal = applied(deal, proposal({ notary: NOTARY }, { id: 'p', by: BOB, to: ALICE, max_rounds: 10 }));
    for (let i = 1; i <= 20; i += 1)
      deal = applied(deal, event('counter', i % 2 ? ALICE : BOB, i, { id: `c${i}`, terms: { amount: '5000000' } }));
    assert.ok(!advance(deal, event('counter', ALICE, 21, { terms: { amount: '1' } })).ok);
    deal = applied(deal, event('reject', BOB, 21), accept(ALICE, 22, 'c20'));
    for (let i = 1; i < MAX_PAYMENTS; i += 1) deal = applied(deal, event('paid', BOB, 30, { amount: '1' }));
    assert.ok(!advance(deal, event('paid', BOB, 30, { amount: '1' })).ok, 'the last place is for what completes it');
    assert.ok(advance(deal, event('paid', BOB, 30, { amount: '5000000' })).ok);
    assert.ok(!advance(deal, event('paid', BOB, 30, { amount: '1' })).ok);
    deal = applied(
      deal,
      event('locked', 'chain', 31),
      event('deliver', ALICE, 32),
      event('escrow_delivered', 'chain', 33, { delivery: 'y' }),
      event('deliver', ALICE, 34, { id: 'y' }),
      event('dispute', BOB, 35),
      event('escrow_disputed', 'chain', 36),
      event('escrow_disputed', 'chain', 36, { offer_bps: 1 }),
      event('escrow_contested', 'chain', 36, { offer_bps: 1 }),
      event('verdict', NOTARY, 37, { outcome: 'reject' }),
      event('refunded', 'chain', 38),
    );
    assert.ok(deal.final);
    assert.equal(deal.history.length, MAX_HISTORY - 1);
    assert.ok(JSON.stringify(deal).length < 16_384);
  });

  it('refuses a second word of the ledger on the same matter, and payments that are none', () => {
    const deal = applied(opened(), accept());
    for (const amount of ['0', '-1', '1.5', ''])
      assert.ok(!advance(deal, event('paid', ALICE, 2, { amount })).ok, amount);
    const told = applied(
      deal,
      event('locked', 'chain', 2),
      event('escrow_delivered', 'chain', 3, { delivery: 'y' }),
      event('escrow_disputed', 'chain', 4),
    );
    for (const type of ['locked', 'escrow_delivered', 'escrow_disputed'] as const) {
      const step = advance(told, event(type, 'chain', 5, { delivery: 'z' }));
      assert.ok(!step.ok && !step.premature, type);
    }
  });
});

describe('reminders of ledger steps', () => {
  it('come when they are due and hourly from then on, until the ledger has moved', () => {
    let deal: Deal = applied(opened(), accept(), event('locked', 'chain', 2));
    const deadline = T0 + 60_000 + DAY;
    assert.deepEqual(nextTimer(deal), { at: deadline, kind: 'reclaim' });
    assert.equal(onTimer(deal, deadline - 1).due, undefined);
    for (const at of [deadline, deadline + HOUR, deadline + 2 * HOUR]) {
      const turn = onTimer(deal, at);
      assert.equal(turn.due, 'reclaim');
      assert.equal(turn.deal.state, 'abandoned');
      deal = turn.deal;
      assert.deepEqual(nextTimer(deal), { at: at + HOUR, kind: 'reclaim' });
      assert.equal(onTimer(deal, at + 1).due, undefined);
    }
    deal = applied(deal, event('reclaimed', 'chain', 3_000));
    assert.equal(nextTimer(deal), undefined);
    assert.equal(onTimer(deal, deadline + 9 * DAY).due, undefined);
  });

  it('never runs the deal backwards', () => {
    const late = onTimer(opened(), T0 + 13 * HOUR).deal;
    assert.equal(onTimer(late, T0).deal.state, 'expired');
  });
});

describe('a message of one’s own', () => {
  it('is applied when it is allowed', () => {
    const step = attempt(opened(), accept() as Parameters<typeof attempt>[1]);
    assert.ok(step.ok && step.deal.state === 'accepted');
  });

  it('sent twice is sent once', () => {
    const mine = accept() as Parameters<typeof attempt>[1];
    const step = attempt(applied(opened(), mine), mine);
    assert.ok(step.ok && step.outcome === 'duplicate');
  });
});
