import { type Deal, isParty } from './deal.ts';
import { deliveredAt } from './moments.ts';

/**
 * The fact that an aggregator still lacks before it counts a rating of this deal; undefined where none is missing.
 * `showsOffers`: whether the rater's node reports the offers whole.
 */
export function ratingWaitsFor(deal: Deal, rater: string, showsOffers: boolean): string | undefined {
  const { escrow, requester } = deal;
  if (!escrow || !isParty(deal, rater)) return undefined;
  if (deliveredAt(deal) !== undefined)
    return escrow.outcome === null ? 'the end of the escrow, for a day after the delivery at most' : undefined;
  if (showsOffers) return escrow.outcome === null ? 'the end of the escrow' : undefined;
  if (escrow.outcome === 'released' && rater !== requester) return undefined;
  return (
    'a delivery by the provider, or the terms of the deal: they are private, and without either no aggregator can tell that ' +
    'what was locked is what was agreed. A node with mesh.report "offers" shows the terms of its deals; both nodes ' +
    'report receipts only unless they say otherwise. After 120 days the rating is dropped'
  );
}
