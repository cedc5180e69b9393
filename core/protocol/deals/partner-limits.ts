import { formatUsdc } from '../../platform/usdc.ts';
import { type Deal, lastOffer, type Terms } from './deal.ts';

/** A provider's history with one requester: counts of their deals with escrow. */
export interface PartnerRecord {
  /** Paid for, or decided for the provider. */
  readonly settled: number;
  /** Contested, and burnt or decided against the provider. */
  readonly lost: number;
  /** Disputed, and the offer stood or the provider gave all back. */
  readonly conceded: number;
  readonly disputed: number;
  /** All that came to a delivery. */
  readonly delivered: number;
}

/** The limits within which a provider works for a requester. Amounts are minor units. */
export interface PartnerLimits {
  readonly start: bigint;
  readonly most: bigint;
  readonly minBondBps: bigint;
  readonly maxDisputes: number;
  readonly maxDisputedPercent: number;
}

export const NOBODY: PartnerRecord = { settled: 0, lost: 0, conceded: 0, disputed: 0, delivered: 0 };

const WHOLE = 10_000n;
const LOST_WEIGHT = 5;
const CONCEDED_WEIGHT = 3;
/** From here on the limit is the owner's own, or nothing: no amount has more bits. */
const MOST_DOUBLINGS = 64;

/** The record with one more deal of this provider and that requester. */
export function withDealOf(record: PartnerRecord, deal: Deal): PartnerRecord {
  const { escrow } = deal;
  if (!escrow || escrow.delivered_at === null) return record;
  const { outcome } = escrow;
  const disputed = escrow.disputed_at !== null;
  const contested = (escrow.contested_at ?? null) !== null;
  const decided = outcome === 'decided' ? decidedFor(deal) : undefined;
  const won = outcome === 'released' || outcome === 'claimed' || decided === 'provider';
  const burnt = outcome === 'split' && contested;
  const gaveIn = outcome === 'refunded' || (outcome === 'split' && !contested);
  return {
    settled: record.settled + Number(won),
    lost: record.lost + Number(burnt || decided === 'requester'),
    conceded: record.conceded + Number(disputed && gaveIn),
    disputed: record.disputed + Number(disputed),
    delivered: record.delivered + 1,
  };
}

/**
 * The side for which the notary decided, as the payouts show it; undefined while they wait. A decision for the
 * provider leaves the requester the offered share of its bond and gives the provider all the rest; otherwise the
 * offer stands and the bond comes back.
 */
function decidedFor(deal: Deal): 'provider' | 'requester' | undefined {
  const { amount, bond } = lastOffer(deal);
  const { offer_bps, to_provider, to_requester } = deal.escrow!;
  const share = (of: string) => (BigInt(of) * BigInt(offer_bps ?? 0)) / WHOLE;
  if (BigInt(to_requester) > share(bond)) return 'requester';
  return BigInt(to_provider) > share(amount) ? 'provider' : undefined;
}

/** The most that a deal with this requester may be worth: it doubles with every two that settled well. */
export function limitOf({ settled, lost, conceded }: PartnerRecord, { start, most }: PartnerLimits): bigint {
  const doublings = Math.floor((settled - LOST_WEIGHT * lost - CONCEDED_WEIGHT * conceded) / 2);
  if (doublings >= MOST_DOUBLINGS) return most;
  const limit = doublings >= 0 ? start << BigInt(doublings) : start >> BigInt(Math.min(-doublings, MOST_DOUBLINGS));
  return limit < most ? limit : most;
}

type OfferedEscrow = Pick<Terms, 'amount' | 'bond' | 'notary' | 'escrow'>;

/** Why a provider should not work for this requester on these terms, and the change that would remove the problem. */
export function partnerProblem(terms: OfferedEscrow, record: PartnerRecord, limits: PartnerLimits): string | undefined {
  if (!terms.escrow) return undefined;
  const { maxDisputes, maxDisputedPercent, minBondBps } = limits;
  const tooMany = record.disputed * 100 > maxDisputedPercent * record.delivered;
  if (record.disputed > maxDisputes && tooMany)
    return (
      `it has disputed ${record.disputed} of ${record.delivered} deals with you; to work for it all the same, ` +
      'raise core.deals.maxDisputes or core.deals.maxDisputedPercent'
    );
  const amount = BigInt(terms.amount);
  const limit = limitOf(record, limits);
  if (amount > limit)
    return (
      `with its history here a deal may be worth ${formatUsdc(limit)} USDC (core.deals.partnerStart, partnerLimit), ` +
      `not ${formatUsdc(amount)}; counter with less, divide the work into successive deals, or raise the limit`
    );
  const least = (amount * minBondBps) / WHOLE;
  if (record.settled === 0 && terms.notary === null && BigInt(terms.bond) < least)
    return (
      `of a requester without settled deals this node wants a bond of at least ${formatUsdc(least)} USDC or a notary ` +
      '(core.deals.minBondBps); counter with one'
    );
  return undefined;
}
