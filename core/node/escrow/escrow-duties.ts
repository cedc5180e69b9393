import { allowedActions } from '../../protocol/deals/actions.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import type { Action } from '../../protocol/deals/events.ts';
import { deadlineOf, disputeMs, reviewEndOf, splitOpensAt } from '../../protocol/deals/moments.ts';

/** A step on the ledger that a node takes by itself; `by`: its last moment, where there is one. */
export type EscrowDuty = { readonly by?: number } & (
  | { readonly step: 'dispute'; readonly offerBps: number }
  | { readonly step: 'contest'; readonly maxBps: number }
  | { readonly step: 'deliver' | 'approve' | 'refund' | 'reclaim' | 'claim' | 'split' }
);

/** The node's own findings about the delivery that the ledger names; the deal does not hold them. */
export interface Findings {
  /** The other side's node has acknowledged the DELIVER. */
  readonly received: boolean;
  /** By the acceptance check that was agreed; undefined where there is none, or nobody here can run it. */
  readonly accepted: boolean | undefined;
}

/** Steps on the ledger that the owner lets the node take by itself. */
export interface DutyPolicy {
  readonly followVerdict: boolean;
}

/** A contest refuses every offer but all of the amount: a raise that crosses it would be burnt by no less. */
export const CONTEST_BPS = 9_999;
/** The provider answers a dispute when this part of the time for it has passed. */
const ANSWER_SHARE = 2 / 3;

/** The step that this party's node should take on the ledger now; undefined where it needs `findings` and has none. */
export function escrowDuty(
  deal: Deal,
  self: string,
  now: number,
  policy: DutyPolicy,
  findings?: Findings,
): EscrowDuty | undefined {
  if (!deal.escrow || deal.final) return undefined;
  const open = allowedActions(deal, self, now);
  if (open.includes('split')) return { step: 'split' };
  if (self === deal.provider) return providerDuty(deal, open, now, findings);
  return self === deal.requester ? requesterDuty(deal, open, now, policy, findings) : undefined;
}

/** The provider names its DELIVER on the ledger, answers a dispute, and claims an escrow that nobody answered. */
function providerDuty(deal: Deal, open: readonly Action[], now: number, findings?: Findings): EscrowDuty | undefined {
  const { escrow, delivery } = deal;
  if (delivery && escrow!.delivered_at === null && escrow!.outcome === null && now < deadlineOf(deal))
    return { step: 'deliver', by: deadlineOf(deal) };
  if (open.includes('contest')) return answerToDispute(deal, now, findings);
  return open.includes('claim') ? { step: 'claim' } : undefined;
}

/**
 * A provider that delivered what it named contests: it gains nothing by that, and loses nothing. One that did not gives
 * the money back. A receipt can come late, so its absence counts only when the answer is due.
 */
function answerToDispute(deal: Deal, now: number, findings?: Findings): EscrowDuty | undefined {
  const { escrow, delivery } = deal;
  const by = splitOpensAt(deal)!;
  if (!delivery || delivery.id !== escrow!.delivery) return { step: 'refund', by };
  if (!findings) return undefined;
  if (findings.accepted === false) return { step: 'refund', by };
  if (now < escrow!.disputed_at! + disputeMs(deal) * ANSWER_SHARE) return undefined;
  return findings.received ? { step: 'contest', maxBps: CONTEST_BPS, by } : { step: 'refund', by };
}

/**
 * The requester reclaims an escrow without a delivery, follows the notary's VERDICT, carries its DISPUTE to the ledger,
 * and disputes a delivery that fails its check or does not arrive. It never disputes unseen work without a reason, and
 * never approves on its own.
 */
function requesterDuty(
  deal: Deal,
  open: readonly Action[],
  now: number,
  { followVerdict }: DutyPolicy,
  findings?: Findings,
): EscrowDuty | undefined {
  if (open.includes('reclaim')) return { step: 'reclaim' };
  const verdict = followVerdict ? standingVerdict(deal) : undefined;
  if (verdict === 'approve' && open.includes('approve')) return { step: 'approve', ...disputeWindow(deal) };
  if (deal.escrow!.delivered_at === null || !open.includes('dispute')) return undefined;
  const offerBps = offerFor(deal, verdict === 'reject', now, findings);
  return offerBps === undefined ? undefined : { step: 'dispute', offerBps, by: reviewEndOf(deal) };
}

/** The notary's word, unless a later dispute of the agent overrules it or it came after a contest. */
function standingVerdict({ verdict, dispute, escrow }: Deal): 'approve' | 'reject' | undefined {
  if (!verdict || (escrow!.contested_at ?? null) !== null) return undefined;
  const disputed = Math.max(dispute?.at ?? 0, escrow!.disputed_at ?? 0);
  return verdict.outcome === 'approve' && disputed > verdict.at ? undefined : verdict.outcome;
}

/** The offer, in basis points, of a dispute that this node has to raise; undefined when there is no reason for one. */
function offerFor(deal: Deal, rejected: boolean, now: number, findings?: Findings): number | undefined {
  const floor = lastOffer(deal).dispute_bps;
  if (deal.dispute) return Math.max(floor, deal.dispute.offer_bps ?? 0);
  if (rejected || findings?.accepted === false) return floor;
  const missing = deal.delivery?.id !== deal.escrow!.delivery;
  return missing && now >= halfOfReview(deal) ? floor : undefined;
}

function halfOfReview(deal: Deal): number {
  return (deal.escrow!.delivered_at! + reviewEndOf(deal)) / 2;
}

function disputeWindow(deal: Deal): { by?: number } {
  const by = splitOpensAt(deal);
  return by === undefined ? {} : { by };
}

/** How often the agent of a requester has to be reminded by now of a delivery that it has said nothing about. */
export function remindersDue(deal: Deal, self: string, now: number): 0 | 1 | 2 {
  const { escrow, delivery, dispute } = deal;
  if (self !== deal.requester || !escrow || escrow.outcome !== null || escrow.delivered_at === null) return 0;
  if (!delivery || dispute || escrow.disputed_at !== null || now >= reviewEndOf(deal)) return 0;
  const passed = (now - escrow.delivered_at) / (reviewEndOf(deal) - escrow.delivered_at);
  return passed >= 3 / 4 ? 2 : passed >= 1 / 2 ? 1 : 0;
}
