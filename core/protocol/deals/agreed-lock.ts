import type { SettlementNumbers } from '../settlement/numbers.ts';
import type { EscrowName } from '../settlement/steps.ts';
import { type Deal, lastOffer, type Terms } from './deal.ts';
import {
  DEADLINE_SECS,
  REVIEW_SECS,
  SHORTEST_ESCROW_DEADLINE_SECS,
  SHORTEST_ESCROW_REVIEW_SECS,
  type TermProblem,
} from './terms.ts';

/** The terms of an offer that a lock must keep. */
export type LockTerms = Pick<Terms, 'amount' | 'bond' | 'dispute_bps' | 'notary' | 'deadline_secs' | 'review_secs'>;

/**
 * The facts that decide whether a lock is the agreed one: the two parties, the terms, and the ACCEPT with its time in
 * Unix milliseconds.
 */
export interface Agreed extends EscrowName {
  readonly terms: LockTerms;
  readonly accepted: { readonly id: string; readonly at: number };
}

/** The escrow that the parties agreed to lock, in the units of the ledger. */
export interface AgreedLock extends EscrowName {
  readonly notary: string | null;
  readonly amount: bigint;
  readonly bond: bigint;
  /** Unix seconds. */
  readonly deadline: number;
  readonly reviewSecs: number;
  /** Id of the ACCEPT. */
  readonly terms: string;
  readonly disputeBps: number;
}

export function escrowName({ requester, provider, conversation }: EscrowName): EscrowName {
  return { requester, provider, conversation };
}

/** The agreement of an accepted deal: the terms of the last offer, and the ACCEPT of it. */
export function agreementOf(deal: Deal): Agreed {
  return { ...escrowName(deal), terms: lastOffer(deal), accepted: deal.accepted! };
}

export function agreedLock(agreed: Agreed): AgreedLock {
  const { terms, accepted } = agreed;
  return {
    ...escrowName(agreed),
    notary: terms.notary,
    amount: BigInt(terms.amount),
    bond: BigInt(terms.bond),
    deadline: Math.floor((accepted.at + terms.deadline_secs * 1000) / 1000),
    reviewSecs: terms.review_secs,
    terms: accepted.id,
    disputeBps: terms.dispute_bps,
  };
}

const FIELDS = [
  'requester',
  'provider',
  'notary',
  'amount',
  'bond',
  'deadline',
  'reviewSecs',
  'terms',
  'disputeBps',
] as const;

/**
 * Why a lock made at that moment (Unix seconds) is not the agreed one; undefined when it is. Nodes and aggregators judge
 * every lock by this function alone. A lock in the last half of the agreed time does not count: the provider would have
 * to hurry for money that goes back.
 */
export function lockProblem(agreed: Agreed, locked: Omit<AgreedLock, 'conversation'>, at: number): string | undefined {
  const expected = agreedLock(agreed);
  const wrong = FIELDS.filter((field) => locked[field] !== expected[field]);
  if (wrong.length > 0) return `it differs from what was agreed in ${wrong.join(', ')}`;
  return at > lockClosesAt(agreed) ? 'less than half of the agreed time was left' : undefined;
}

/**
 * Why a lock is not one that this party's node looks after. A lock can be sent in time and land late: then it does
 * not count for the deal, but its money is the requester's, whose node takes it back.
 */
export function unkeptLock(
  agreed: Agreed,
  locked: Omit<AgreedLock, 'conversation'>,
  at: number,
  self: string,
): string | undefined {
  return lockProblem(agreed, locked, self === agreed.requester ? Math.min(at, lockClosesAt(agreed)) : at);
}

/** Whether the deal's lock came too late to count. */
export function isLateLock(deal: Deal): boolean {
  return deal.escrow !== null && Math.floor(deal.escrow.locked_at / 1000) > lockClosesAt(agreementOf(deal));
}

/** The last second in which a lock counts. */
export function lockClosesAt({ terms, accepted }: Agreed): number {
  return Math.floor((accepted.at + terms.deadline_secs * 500) / 1000);
}

type LockTimes = Partial<Pick<Terms, 'deadline_secs' | 'review_secs'>>;

/** Whether an offer of such terms can promise a lock within the bounds of the deal rules and of the program. */
export function canBeLocked(amount: bigint, times: LockTimes, numbers: SettlementNumbers | undefined): boolean {
  return numbers !== undefined && amount > 0n && !unlockableTerm(times, numbers);
}

/** The term that keeps an amount from being locked, with the bounds that the deal rules and the program set. */
export function unlockableTerm(
  { deadline_secs = DEADLINE_SECS, review_secs = REVIEW_SECS }: LockTimes,
  { leadSecs, horizonSecs, reviewMinSecs, reviewMaxSecs }: SettlementNumbers,
): TermProblem | undefined {
  const bounds = [
    ['deadline_secs', deadline_secs, Math.max(SHORTEST_ESCROW_DEADLINE_SECS, 2 * leadSecs), horizonSecs],
    ['review_secs', review_secs, Math.max(SHORTEST_ESCROW_REVIEW_SECS, reviewMinSecs), reviewMaxSecs],
  ] as const;
  for (const [term, value, least, most] of bounds) {
    if (!(value >= least && value <= most))
      return { term, message: `must be ${least} to ${most} with escrow on this ledger, not ${value}` };
  }
  return undefined;
}
