import { ARREARS_MS, type Deal, DISPUTE_SECS, LOCK_MS, lastOffer, TRANSIT_MS, VERDICT_MS } from './deal.ts';

/** Every moment here is exclusive: a message counts when it was signed before it, a lapse begins with it. */

/** The provider's last moment to deliver. Only for an accepted deal. */
export function deadlineOf(deal: Deal): number {
  return deal.accepted!.at + lastOffer(deal).deadline_secs * 1000;
}

/** The requester's last moment to lock, where a lock was agreed. */
export function lockDueOf(deal: Deal): number {
  return Math.min(deal.accepted!.at + LOCK_MS, deadlineOf(deal));
}

/** When the work was handed over: the ledger's word where it has one, else the DELIVER's; undefined before. */
export function deliveredAt(deal: Deal): number | undefined {
  return deal.escrow?.delivered_at ?? deal.delivery?.at;
}

/** The requester's last moment to dispute. Only for a delivered deal. */
export function reviewEndOf(deal: Deal): number {
  return deliveredAt(deal)! + lastOffer(deal).review_secs * 1000;
}

/** The notary's last moment. Only for a delivered deal. */
export function verdictDueOf(deal: Deal): number {
  return reviewEndOf(deal) + VERDICT_MS;
}

/**
 * The last moment to contest a dispute, or to decide a contest; then anyone may split. Without a notary nobody can
 * decide, and a contested escrow can be split at once. Undefined without a dispute on the ledger.
 */
export function splitOpensAt(deal: Deal): number | undefined {
  const { escrow } = deal;
  if (!escrow || escrow.disputed_at === null) return undefined;
  const contested = escrow.contested_at ?? null;
  if (contested !== null && lastOffer(deal).notary === null) return contested;
  return (contested ?? escrow.disputed_at) + disputeMs(deal);
}

/** How long a dispute can be contested, and a contest decided. */
export function disputeMs({ escrow }: Deal): number {
  return (escrow?.dispute_secs ?? DISPUTE_SECS) * 1000;
}

/** From here on no answer to the last offer can still be on its way. */
export function offerClosesAt(deal: Deal): number {
  return lastOffer(deal).expires_at + TRANSIT_MS;
}

/** From here on no DELIVER can still be on its way. */
export function deliveryClosesAt(deal: Deal): number {
  return deadlineOf(deal) + TRANSIT_MS;
}

/** From here on an unpaid deal is no longer watched. */
export function arrearsCloseAt(deal: Deal): number {
  return reviewEndOf(deal) + ARREARS_MS;
}
