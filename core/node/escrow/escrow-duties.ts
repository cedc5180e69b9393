import { allowedActions } from '../../deals/actions.ts';
import type { Deal } from '../../deals/deal.ts';
import { deadlineOf, deliveredAt, reviewEndOf } from '../../deals/moments.ts';

/** A step on the ledger that a node takes by itself. */
export type EscrowDuty = 'deliver' | 'dispute' | 'reclaim' | 'claim' | 'split';

/**
 * What this party's node should do on the ledger now. The provider names its DELIVER, and claims what nobody answered;
 * the requester carries its DISPUTE to the ledger, disputes by itself a delivery that it has no DELIVER for when half
 * of the review has passed, and takes back what was not delivered; either splits a dispute that nobody decided.
 */
export function escrowDuty(deal: Deal, self: string, now: number): EscrowDuty | undefined {
  const { escrow } = deal;
  if (!escrow || escrow.outcome !== null) return undefined;
  const open = allowedActions(deal, self, now);
  if (open.includes('split')) return 'split';
  if (self === deal.provider) {
    if (deal.delivery && escrow.delivered_at === null && now < deadlineOf(deal)) return 'deliver';
    return open.includes('claim') ? 'claim' : undefined;
  }
  if (self !== deal.requester) return undefined;
  if (open.includes('reclaim')) return 'reclaim';
  return mustDispute(deal, now) ? 'dispute' : undefined;
}

function mustDispute(deal: Deal, now: number): boolean {
  const { escrow } = deal;
  if (!escrow || escrow.delivered_at === null || escrow.disputed_at !== null || now >= reviewEndOf(deal)) return false;
  if (deal.dispute) return true;
  const half = (deliveredAt(deal)! + reviewEndOf(deal)) / 2;
  return deal.delivery?.id !== escrow.delivery && now >= half;
}
