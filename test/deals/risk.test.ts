import assert from 'node:assert/strict';
import { riskOf } from '../../core/protocol/deals/risk.ts';

const TERMS = { amount: '10000000', bond: '5000000', dispute_bps: 0, notary: null };
const DAYS = 3 * 86_400;

describe('what is shown before ACCEPT', () => {
  it('tells the requester what it locks, what silence costs, and the most it can lose', () => {
    const { texts, ...figures } = riskOf(TERMS, 'requester', DAYS);
    assert.deepEqual(figures, { locks: 15_000_000n, silent: 10_000_000n, worst: 15_000_000n });
    assert.deepEqual(texts, [
      'You lock 15.',
      'Silent after delivery you pay 10.',
      'Dispute at 0 and it is contested: you lose up to 15.',
      'You never lose more than 10 unless you dispute.',
      'No notary: what is contested burns.',
    ]);
  });

  it('tells the provider that it never pays, its worst case, and how long it may think', () => {
    const { texts, ...figures } = riskOf({ ...TERMS, notary: 'nora' }, 'provider', DAYS);
    assert.deepEqual(figures, { locks: 0n, silent: 10_000_000n, worst: 0n });
    assert.deepEqual(texts, [
      'You never pay USDC.',
      'Worst case: 0 for your work.',
      'You must answer a dispute within 3 days.',
      'The notary nora decides what is contested; its silence burns it.',
    ]);
  });

  it('counts what a dispute must offer at least', () => {
    const soft = { ...TERMS, dispute_bps: 2_500 };
    assert.equal(riskOf(soft, 'requester', DAYS).worst, 13_750_000n);
    assert.equal(
      riskOf(soft, 'requester', DAYS).texts[2],
      'Dispute at 25 % and it is contested: you lose up to 13.75.',
    );
    assert.equal(riskOf(soft, 'provider', 7_200).worst, 2_500_000n);
    assert.equal(riskOf(soft, 'provider', 7_200).texts[2], 'You must answer a dispute within 2 hours.');
  });
});
