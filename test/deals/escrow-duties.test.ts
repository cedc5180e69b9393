import assert from 'node:assert/strict';
import { escrowDuty, type Findings, remindersDue } from '../../core/node/escrow/escrow-duties.ts';
import type { Deal } from '../../core/protocol/deals/deal.ts';
import { ALICE, accept, applied, BOB, DAY, event, HOUR, NOTARY, opened, T0 } from './builders.ts';

const FOLLOW = { followVerdict: true };
const ARRIVED: Findings = { received: true, accepted: undefined };
const MINUTES = 60_000;

/** Delivered at minute 10, with a review of a day; then what else happened. */
function deal(...more: Parameters<typeof applied>[1][]): Deal {
  const terms = { escrow: true, notary: NOTARY, dispute_bps: 1_000 };
  const named = event('escrow_delivered', BOB, 10, { delivery: 'd' });
  return applied(
    opened(terms),
    accept(),
    event('locked', ALICE, 2),
    event('deliver', BOB, 9, { id: 'd' }),
    named,
    ...more,
  );
}

const disputed = () => event('escrow_disputed', ALICE, 20, { offer_bps: 1_000 });
const at = (minutes: number) => T0 + minutes * MINUTES;
const reviewEnd = at(10) + DAY;

function duty(one: Deal, self: string, now: number, findings = ARRIVED, policy = FOLLOW) {
  const { by, ...rest } = escrowDuty(one, self, now, policy, findings) ?? {};
  return Object.keys(rest).length > 0 ? rest : undefined;
}

describe('what a node does by itself with an escrow', () => {
  it('a requester that has its delivery does nothing without a reason, and never approves', () => {
    for (const now of [at(11), at(10) + 0.9 * DAY, reviewEnd + HOUR]) assert.equal(duty(deal(), ALICE, now), undefined);
  });

  it('a requester disputes what fails the agreed check, at the lowest offer', () => {
    const found = { received: true, accepted: false };
    assert.deepEqual(duty(deal(), ALICE, at(11), found), { step: 'dispute', offerBps: 1_000 });
  });

  it('a requester disputes a delivery that never came when half of the review has passed', () => {
    const { delivery: _, ...facts } = deal();
    const missing = { ...facts, delivery: null };
    assert.equal(duty(missing, ALICE, at(10) + DAY / 2 - 1), undefined);
    assert.deepEqual(duty(missing, ALICE, at(10) + DAY / 2), { step: 'dispute', offerBps: 1_000 });
    const other = { ...facts, delivery: { id: 'another', by: BOB, at: at(9) } };
    assert.deepEqual(duty(other, ALICE, at(10) + DAY / 2), { step: 'dispute', offerBps: 1_000 });
  });

  it('a requester carries its DISPUTE to the ledger, with its offer but no less than the terms allow', () => {
    const told = (offer?: number) => deal(event('dispute', ALICE, 11, offer === undefined ? {} : { offer_bps: offer }));
    assert.deepEqual(duty(told(6_000), ALICE, at(12)), { step: 'dispute', offerBps: 6_000 });
    assert.deepEqual(duty(told(1), ALICE, at(12)), { step: 'dispute', offerBps: 1_000 });
    assert.deepEqual(duty(told(), ALICE, at(12)), { step: 'dispute', offerBps: 1_000 });
    assert.equal(duty(told(), ALICE, reviewEnd), undefined);
  });

  it('a requester follows the VERDICT of the agreed notary, unless its owner or a later dispute says otherwise', () => {
    const word = (outcome: string) => event('verdict', NOTARY, 15, { outcome });
    assert.deepEqual(duty(deal(word('approve')), ALICE, at(16)), { step: 'approve' });
    assert.deepEqual(duty(deal(word('reject')), ALICE, at(16)), { step: 'dispute', offerBps: 1_000 });
    for (const outcome of ['approve', 'reject'])
      assert.equal(duty(deal(word(outcome)), ALICE, at(16), ARRIVED, { followVerdict: false }), undefined);
    assert.equal(duty(deal(word('approve'), disputed()), ALICE, at(21)), undefined);
    assert.deepEqual(duty(deal(disputed(), event('verdict', NOTARY, 30, { outcome: 'approve' })), ALICE, at(31)), {
      step: 'approve',
    });
    const contested = deal(
      disputed(),
      event('escrow_contested', BOB, 25),
      event('verdict', NOTARY, 30, { outcome: 'approve' }),
    );
    assert.equal(duty(contested, ALICE, at(31)), undefined);
  });

  it('a provider that delivered contests at two thirds of the time, and gives back what has no receipt', () => {
    const due = at(20) + 2 * DAY;
    assert.equal(duty(deal(disputed()), BOB, due - 1), undefined);
    assert.deepEqual(duty(deal(disputed()), BOB, due), { step: 'contest', maxBps: 9_999 });
    assert.deepEqual(duty(deal(disputed()), BOB, due, { received: false, accepted: undefined }), { step: 'refund' });
  });

  it('a provider gives back at once what it did not deliver, or what fails its own check', () => {
    const { delivery: _, ...facts } = deal(disputed());
    assert.deepEqual(duty({ ...facts, delivery: null }, BOB, at(21)), { step: 'refund' });
    assert.deepEqual(duty(deal(disputed()), BOB, at(21), { received: true, accepted: false }), { step: 'refund' });
  });

  it('a contest is split by whoever is there: with a notary after three days, without one at once', () => {
    const contested = deal(disputed(), event('escrow_contested', BOB, 25));
    for (const self of [ALICE, BOB]) {
      assert.equal(duty(contested, self, at(26)), undefined);
      assert.deepEqual(duty(contested, self, at(25) + 3 * DAY), { step: 'split' });
      const alone = { ...contested, offers: contested.offers.map((offer) => ({ ...offer, notary: null })) };
      assert.deepEqual(duty(alone, self, at(26)), { step: 'split' });
    }
  });

  it('what an end left waiting is paid by whoever is there', () => {
    const paid = { to_provider: '0', to_requester: '0', burnt: '0', remaining: '7500000' };
    for (const self of [ALICE, BOB])
      assert.deepEqual(duty(deal(event('released', ALICE, 30, paid)), self, at(31)), { step: 'split' });
  });

  it('each duty that can come too late names its last moment', () => {
    assert.equal(escrowDuty(deal(event('dispute', ALICE, 11)), ALICE, at(12), FOLLOW, ARRIVED)!.by, reviewEnd);
    assert.equal(escrowDuty(deal(disputed()), BOB, at(20) + 2 * DAY, FOLLOW, ARRIVED)!.by, at(20) + 3 * DAY);
  });

  it('a silent requester is reminded at half and at three quarters', () => {
    const due = [0.49, 0.5, 0.74, 0.75, 0.99, 1].map((part) => remindersDue(deal(), ALICE, at(10) + part * DAY));
    assert.deepEqual(due, [0, 1, 1, 2, 2, 0]);
    assert.equal(remindersDue(deal(), BOB, at(10) + 0.9 * DAY), 0);
    assert.equal(remindersDue(deal(event('dispute', ALICE, 11)), ALICE, at(10) + 0.9 * DAY), 0);
  });
});
