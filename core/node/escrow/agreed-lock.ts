import { type Deal, lastOffer, type Terms } from '../../deals/deal.ts';
import { deadlineOf } from '../../deals/moments.ts';
import { DEADLINE_SECS, REVIEW_SECS } from '../../deals/terms.ts';
import type { SettlementNumbers } from '../../ledger/settlement-numbers.ts';
import type { EscrowName } from '../../ledger/settlement-steps.ts';

/** The provider's share of a split, in basis points: half, as no offer says otherwise. */
export const SPLIT_BPS = 5_000;

/** What an accepted deal says that must be locked, in the units of the ledger. */
export interface AgreedLock extends EscrowName {
  readonly notary: string | null;
  readonly amount: bigint;
  /** Unix seconds. */
  readonly deadline: number;
  readonly reviewSecs: number;
  /** Id of the ACCEPT. */
  readonly terms: string;
  readonly disputeBps: number;
}

export function escrowName({ requester, provider, conversation }: Deal): EscrowName {
  return { requester, provider, conversation };
}

/** Only for an accepted deal. */
export function agreedLock(deal: Deal): AgreedLock {
  const { amount, notary, review_secs } = lastOffer(deal);
  return {
    ...escrowName(deal),
    notary,
    amount: BigInt(amount),
    deadline: Math.floor(deadlineOf(deal) / 1000),
    reviewSecs: review_secs,
    terms: deal.accepted!.id,
    disputeBps: SPLIT_BPS,
  };
}

const TERMS = ['requester', 'provider', 'notary', 'amount', 'deadline', 'reviewSecs', 'terms', 'disputeBps'] as const;

/**
 * Why an amount locked at that moment (Unix seconds) is not the one that was agreed; undefined when it is. A lock in
 * the last half of the agreed time is none: the provider would have to hurry for money that goes back.
 */
export function lockProblem(deal: Deal, locked: Omit<AgreedLock, 'conversation'>, at: number): string | undefined {
  const agreed = agreedLock(deal);
  const wrong = TERMS.filter((term) => locked[term] !== agreed[term]);
  if (wrong.length > 0) return `it differs from what was agreed in ${wrong.join(', ')}`;
  return at > lockClosesAt(deal) ? 'less than half of the agreed time was left' : undefined;
}

/** The last second in which a lock counts. */
export function lockClosesAt(deal: Deal): number {
  return Math.floor(deadlineOf(deal) / 1000 - lastOffer(deal).deadline_secs / 2);
}

/** Whether an offer of such terms can promise a lock: what the rules of deals and of the program allow. */
export function canBeLocked(
  amount: bigint,
  { deadline_secs = DEADLINE_SECS, review_secs = REVIEW_SECS }: Partial<Pick<Terms, 'deadline_secs' | 'review_secs'>>,
  numbers: SettlementNumbers | undefined,
): boolean {
  if (!numbers || amount === 0n) return false;
  const { leadSecs, horizonSecs, reviewMinSecs, reviewMaxSecs } = numbers;
  const deadline = deadline_secs >= Math.max(60, 2 * leadSecs) && deadline_secs <= horizonSecs;
  return deadline && review_secs >= Math.max(3_600, reviewMinSecs) && review_secs <= reviewMaxSecs;
}
