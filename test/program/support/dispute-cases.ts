/** Who acts: requester, provider, notary, anybody. `account` closes or freezes a token account, or opens it again. */
export type Who = 'R' | 'P' | 'N' | 'A';
export type CaseStep =
  | readonly [who: Who, step: CaseStepName, at: number, arg?: number]
  | readonly ['account', of: 'R' | 'P', usable: boolean];
export type CaseStepName =
  | 'deliver'
  | 'approve'
  | 'refund'
  | 'reclaim'
  | 'claim'
  | 'dispute'
  | 'contest'
  | 'decide'
  | 'split';

export interface DisputeCase {
  readonly name: string;
  readonly amount: bigint;
  readonly bond: bigint;
  readonly floor?: number;
  readonly notary?: boolean;
  /** Seconds are counted from the lock. */
  readonly steps: readonly CaseStep[];
  /** What requester and provider gained and what burnt, or the error of the last step. */
  readonly ends: readonly [requester: bigint, provider: bigint, burnt: bigint] | string;
}

export const DISPUTE_SECS = 259_200;
export const DEADLINE = 1_000;
export const REVIEW = 3_600;
const DW = DISPUTE_SECS;

const TEN = { amount: 10_000_000n, bond: 5_000_000n };
const JUDGED = { ...TEN, notary: true };
const SOFT = { amount: 10_000_000n, bond: 0n, floor: 5_000 };
const ODD = { amount: 10_001n, bond: 5_000n };
const delivery = ['P', 'deliver', 100] as const;
const dispute = (offer: number) => ['R', 'dispute', 200, offer] as const;
const contest = ['P', 'contest', 300, 9_999] as const;

type Rest = Pick<DisputeCase, 'steps' | 'ends'>;
const one = (
  name: string,
  terms: Omit<DisputeCase, 'name' | keyof Rest>,
  steps: Rest['steps'],
  ends: Rest['ends'],
) => ({
  name,
  ...terms,
  steps,
  ends,
});

/** Every end of an escrow with its balances, from the model that the rules were found with. */
export const DISPUTE_CASES: readonly DisputeCase[] = [
  one('approved before delivery', TEN, [['R', 'approve', 10]], [-10_000_000n, 10_000_000n, 0n]),
  one('delivered, approved', TEN, [delivery, ['R', 'approve', 200]], [-10_000_000n, 10_000_000n, 0n]),
  one(
    'silence, claimed a second after the review',
    TEN,
    [delivery, ['A', 'claim', 3_701]],
    [-10_000_000n, 10_000_000n, 0n],
  ),
  one('claimed in the last second of the review', TEN, [delivery, ['A', 'claim', 3_700]], 'tooEarly'),
  one('not delivered, reclaimed', TEN, [['A', 'reclaim', 1_001]], [0n, 0n, 0n]),
  one(
    'delivered in the last second, reclaimed',
    TEN,
    [
      ['P', 'deliver', 1_000],
      ['A', 'reclaim', 1_001],
    ],
    'wrongState',
  ),
  one('refunded before delivery', TEN, [['P', 'refund', 5]], [0n, 0n, 0n]),
  one(
    'disputed at 0 in the last second, provider silent',
    TEN,
    [delivery, ['R', 'dispute', 3_700, 0], ['A', 'split', 3_700 + DW]],
    [0n, 0n, 0n],
  ),
  one('disputed a second late', TEN, [delivery, ['R', 'dispute', 3_701, 0]], 'tooLate'),
  one('split a second early', TEN, [delivery, dispute(0), ['A', 'split', 199 + DW]], 'tooEarly'),
  one('disputed at 0, refunded', TEN, [delivery, dispute(0), ['P', 'refund', 300]], [0n, 0n, 0n]),
  one(
    'disputed at 6000, provider silent',
    TEN,
    [delivery, dispute(6_000), ['A', 'split', 200 + DW]],
    [-6_000_000n, 6_000_000n, 0n],
  ),
  one(
    'disputed at 0, raised to 8000, the clock not restarted',
    TEN,
    [delivery, dispute(0), ['R', 'dispute', 9_000, 8_000], ['A', 'split', 200 + DW]],
    [-8_000_000n, 8_000_000n, 0n],
  ),
  one('an offer lowered', TEN, [delivery, dispute(5_000), ['R', 'dispute', 300, 4_000]], 'offerTooLow'),
  one('retracted by an approval', TEN, [delivery, dispute(0), ['R', 'approve', 300]], [-10_000_000n, 10_000_000n, 0n]),
  one(
    'contested at 0 without a notary: burns at once',
    TEN,
    [delivery, dispute(0), contest, ['A', 'split', 300]],
    [-15_000_000n, 0n, 15_000_000n],
  ),
  one(
    'contested at 6000 without a notary',
    TEN,
    [delivery, dispute(6_000), contest, ['A', 'split', 300]],
    [-12_000_000n, 6_000_000n, 6_000_000n],
  ),
  one(
    'a contest crossed by a raise above its limit',
    TEN,
    [delivery, dispute(0), ['R', 'dispute', 250, 9_000], ['P', 'contest', 300, 7_999]],
    'offerTooHigh',
  ),
  one(
    'contested in the first second of the split',
    TEN,
    [delivery, dispute(0), ['P', 'contest', 200 + DW, 9_999]],
    'tooLate',
  ),
  one(
    'contested in the last second with a notary, split',
    JUDGED,
    [delivery, dispute(0), ['P', 'contest', 199 + DW, 9_999], ['A', 'split', 200 + DW]],
    'tooEarly',
  ),
  one('contested without a dispute', TEN, [delivery, ['P', 'contest', 200, 9_999]], 'wrongState'),
  one(
    'contested, the requester gives in: the bond at risk goes too',
    JUDGED,
    [delivery, dispute(0), contest, ['R', 'approve', 400]],
    [-15_000_000n, 15_000_000n, 0n],
  ),
  one('contested, the provider gives in', JUDGED, [delivery, dispute(0), contest, ['P', 'refund', 400]], [0n, 0n, 0n]),
  one(
    'decided for the provider at 0',
    JUDGED,
    [delivery, dispute(0), contest, ['N', 'decide', 400, 1], ['A', 'split', 400]],
    [-15_000_000n, 15_000_000n, 0n],
  ),
  one(
    'decided for the provider at 6000',
    JUDGED,
    [delivery, dispute(6_000), contest, ['N', 'decide', 400, 1], ['A', 'split', 400]],
    [-12_000_000n, 12_000_000n, 0n],
  ),
  one(
    'decided for the requester at 0',
    JUDGED,
    [delivery, dispute(0), contest, ['N', 'decide', 400, 0], ['A', 'split', 400]],
    [0n, 0n, 0n],
  ),
  one(
    'decided for the requester at 6000',
    JUDGED,
    [delivery, dispute(6_000), contest, ['N', 'decide', 400, 0], ['A', 'split', 400]],
    [-6_000_000n, 6_000_000n, 0n],
  ),
  one(
    'the notary silent at 0',
    JUDGED,
    [delivery, dispute(0), contest, ['A', 'split', 300 + DW]],
    [-15_000_000n, 0n, 15_000_000n],
  ),
  one(
    'decided in the first second of the split',
    JUDGED,
    [delivery, dispute(0), contest, ['N', 'decide', 300 + DW, 1]],
    'tooLate',
  ),
  one('notary and provider: delivered and decided', JUDGED, [delivery, ['N', 'decide', 100, 1]], 'wrongState'),
  one('a dispute decided that nobody contested', JUDGED, [delivery, dispute(0), ['N', 'decide', 300, 0]], 'wrongState'),
  one('approved by the notary', JUDGED, [delivery, ['N', 'approve', 300]], 'wrongAuthority'),
  one(
    'soft terms and an odd amount',
    { ...SOFT, amount: 10_000_001n },
    [delivery, dispute(5_000), ['A', 'split', 200 + DW]],
    [-5_000_000n, 5_000_000n, 0n],
  ),
  one('an offer under the agreed lowest share', SOFT, [delivery, dispute(4_999)], 'offerTooLow'),
  one(
    'rounding: 10001 and 5000 at 3333, silent',
    ODD,
    [delivery, dispute(3_333), ['A', 'split', 200 + DW]],
    [-3_333n, 3_333n, 0n],
  ),
  one(
    'rounding: 10001 and 5000 at 3333, burnt',
    ODD,
    [delivery, dispute(3_333), contest, ['A', 'split', 300]],
    [-13_335n, 3_333n, 10_002n],
  ),
  one(
    'one minor unit at 9999',
    { amount: 1n, bond: 0n },
    [delivery, dispute(9_999), ['A', 'split', 200 + DW]],
    [0n, 0n, 0n],
  ),
  one(
    'an offer of everything is an approval with a delay',
    TEN,
    [delivery, dispute(10_000), ['A', 'split', 200 + DW]],
    [-10_000_000n, 10_000_000n, 0n],
  ),
  one('a bond above twice the amount', { amount: 1_000n, bond: 2_001n }, [], 'invalidTerms'),
  one('disputed before delivery', TEN, [['R', 'dispute', 50, 0]], 'wrongState'),
  one(
    'payee closed, approved: the bond back at once, the amount waits',
    TEN,
    [['account', 'P', false], delivery, ['R', 'approve', 200]],
    [-10_000_000n, 0n, 0n],
  ),
  one(
    'the same, payee open again, split',
    TEN,
    [['account', 'P', false], delivery, ['R', 'approve', 200], ['account', 'P', true], ['A', 'split', 300]],
    [-10_000_000n, 10_000_000n, 0n],
  ),
  one(
    'requester frozen, claimed: the payee paid at once, the bond waits',
    TEN,
    [delivery, ['account', 'R', false], ['A', 'claim', 3_701]],
    [-15_000_000n, 10_000_000n, 0n],
  ),
  one(
    'payee closed, contested at 6000: burn and bond share at once',
    TEN,
    [['account', 'P', false], delivery, dispute(6_000), contest, ['A', 'split', 300]],
    [-12_000_000n, 0n, 6_000_000n],
  ),
];
