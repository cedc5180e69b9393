import assert from 'node:assert/strict';
import {
  type Agreed,
  agreedLock,
  agreementOf,
  lockClosesAt,
  lockProblem,
} from '../../core/protocol/deals/agreed-lock.ts';
import { completeTerms, termsProblem } from '../../core/protocol/deals/terms.ts';
import { ALICE, accept, applied, BOB, event, NOTARY, opened, T0 } from './builders.ts';

const ACCEPTED_AT = T0 + 60_000;

function agreed(): Agreed {
  const terms = { escrow: true, notary: NOTARY, deadline_secs: 7_200, review_secs: 3_600, dispute_bps: 1_000 };
  return agreementOf(applied(opened({ amount: '5000001', ...terms }), accept(BOB, 1, 'p1', '5000001')));
}

describe('the lock that was agreed', () => {
  it('has the amount, half of it as bond, and every other term of the offer that was accepted', () => {
    const { terms: id, ...lock } = agreedLock(agreed());
    assert.match(id, /^accept-/);
    assert.deepEqual(lock, {
      requester: ALICE,
      provider: BOB,
      conversation: '000102030405060708090a0b0c0d0e0f',
      notary: NOTARY,
      amount: 5_000_001n,
      bond: 2_500_000n,
      deadline: ACCEPTED_AT / 1000 + 7_200,
      reviewSecs: 3_600,
      disputeBps: 1_000,
    });
  });

  it('is no other: one minor unit, second or name apart it does not count', () => {
    const agreement = agreed();
    const lock = agreedLock(agreement);
    const at = ACCEPTED_AT / 1000;
    assert.equal(lockProblem(agreement, lock, at), undefined);
    const others = {
      requester: NOTARY,
      provider: ALICE,
      notary: null,
      amount: 1n,
      bond: lock.bond - 1n,
      deadline: lock.deadline + 1,
      reviewSecs: 3_601,
      terms: 'another',
      disputeBps: 1_001,
    };
    for (const [field, value] of Object.entries(others))
      assert.equal(
        lockProblem(agreement, { ...lock, [field]: value }, at),
        `it differs from what was agreed in ${field}`,
      );
  });

  it('is made while at least half of the agreed time remains', () => {
    const agreement = agreed();
    const closes = lockClosesAt(agreement);
    assert.equal(closes, ACCEPTED_AT / 1000 + 3_600);
    assert.equal(lockProblem(agreement, agreedLock(agreement), closes), undefined);
    assert.match(lockProblem(agreement, agreedLock(agreement), closes + 1)!, /less than half/);
  });

  it('of a deal from before bonds is what it was then: no bond, and half of a split', () => {
    const deal = applied(opened({ escrow: true }), accept());
    const [{ bond, dispute_bps, acceptance, ...offer }] = deal.offers as [(typeof deal.offers)[0]];
    const stored = { ...deal, offers: [offer] } as unknown as typeof deal;
    const lock = agreedLock(agreementOf(stored));
    assert.deepEqual([lock.bond, lock.disputeBps], [0n, 5_000]);
  });
});

describe('the terms of a dispute', () => {
  const first = (offered: object) => completeTerms({ amount: '9', ...offered }, undefined, T0);

  it('are half of the amount as bond where escrow is agreed, and no floor', () => {
    assert.deepEqual([first({ escrow: true }).bond, first({}).bond], ['4', '0']);
    assert.deepEqual([first({}).dispute_bps, first({}).acceptance], [0, null]);
  });

  it('stay in a counter that does not name them; the usual bond follows its amount', () => {
    const usual = first({ escrow: true });
    assert.equal(completeTerms({ amount: '100' }, usual, T0).bond, '50');
    assert.equal(completeTerms({ amount: '100', escrow: false }, usual, T0).bond, '0');
    const named = first({ escrow: true, bond: '4' });
    assert.equal(completeTerms({ amount: '100' }, named, T0).bond, '50', 'whoever named it');
    const own = first({ escrow: true, bond: '1', dispute_bps: 7, acceptance: 'a'.repeat(64) });
    const { bond, dispute_bps, acceptance } = completeTerms({ amount: '100' }, own, T0);
    assert.deepEqual([bond, dispute_bps, acceptance], ['1', 7, 'a'.repeat(64)]);
    const changed = completeTerms({ amount: '100', bond: '3', dispute_bps: 0, acceptance: null }, own, T0);
    assert.deepEqual([changed.bond, changed.dispute_bps, changed.acceptance], ['3', 0, null]);
  });

  it('are bounded: a bond of at most twice the amount, a floor of at most all of it', () => {
    const problem = (offered: object) => termsProblem(first({ escrow: true, ...offered }), T0, [ALICE, BOB]);
    assert.equal(problem({ bond: '18', dispute_bps: 10_000 }), undefined);
    assert.match(problem({ bond: '19' })!, /at most twice the amount/);
    assert.match(problem({ bond: '-1' })!, /bond/);
    assert.match(problem({ dispute_bps: 10_001 })!, /dispute_bps/);
    assert.match(problem({ acceptance: 'x' })!, /acceptance/);
    const late = event('counter', BOB, 1, { terms: { amount: '1' } });
    const deal = opened({ amount: '9', escrow: true, bond: '18' });
    assert.throws(() => applied(deal, late), /at most twice the amount/);
  });
});
