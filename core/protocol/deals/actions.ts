import { type Deal, isParty, lastOffer } from './deal.ts';
import type { Action } from './events.ts';
import { isPaidUp, judge } from './judgement.ts';
import { deadlineOf, deliveredAt, reviewEndOf, splitOpensAt, verdictDueOf } from './moments.ts';
import { countersBy } from './negotiation.ts';

/** An offer of all of the amount: there is nothing to raise or to contest. */
const WHOLE = 10_000;

/**
 * The actions, by message or on the ledger, that a key may take at the moment `at`, or at the deal's own clock where
 * that is later. A key that is neither a party nor the agreed notary has none.
 */
export function allowedActions(deal: Deal, who: string, at: number): Action[] {
  const now = Math.max(deal.clock, at);
  if (!deal.accepted) return isParty(deal, who) ? negotiationActions(deal, who, now) : [];
  if (who === deal.requester) return requesterActions(deal, now);
  if (who === deal.provider) return providerActions(deal, now);
  return who === lastOffer(deal).notary ? notaryActions(deal, now) : [];
}

/** Whether the deal has come to an end on which its parties may give feedback. */
export function isEnded(deal: Deal): boolean {
  return (
    deal.accepted !== null && (deliveredAt(deal) !== undefined || deal.escrow?.outcome != null || isAbandoned(deal))
  );
}

function negotiationActions(deal: Deal, who: string, now: number): Action[] {
  const { state } = judge(deal, now);
  if (state !== 'proposed' && state !== 'countered') return [];
  if (lastOffer(deal).by === who) return ['reject'];
  return countersBy(deal, who) < deal.max_rounds ? ['accept', 'counter', 'reject'] : ['accept', 'reject'];
}

function requesterActions(deal: Deal, now: number): Action[] {
  const actions: Action[] = [];
  const { final } = judge(deal, now);
  const delivered = deliveredAt(deal) !== undefined;
  const owes = !final && !deal.escrow && lastOffer(deal).amount !== '0' && !isPaidUp(deal);
  if (owes && !delivered && deal.paid === '0' && now < deadlineOf(deal)) actions.push('lock');
  if (owes) actions.push('pay');
  if (isLocked(deal)) actions.push('approve');
  if (!final && delivered && canDispute(deal) && now < reviewEndOf(deal)) actions.push('dispute');
  if (isDisputed(deal) && offerOf(deal) < WHOLE && now < splitOpensAt(deal)!) actions.push('raise');
  return [...actions, ...anyonesActions(deal, now), ...feedback(deal)];
}

function providerActions(deal: Deal, now: number): Action[] {
  const actions: Action[] = [];
  const { state, final } = judge(deal, now);
  if ((!final || state === 'settled') && !deal.delivery && now < deadlineOf(deal)) actions.push('deliver');
  if (isLocked(deal)) actions.push('refund');
  if (isDisputed(deal) && offerOf(deal) < WHOLE && now < splitOpensAt(deal)!) actions.push('contest');
  return [...actions, ...anyonesActions(deal, now), ...feedback(deal)];
}

/** A VERDICT is the notary's word before any contest; after one it decides on the ledger. */
function notaryActions(deal: Deal, now: number): Action[] {
  const actions: Action[] = [];
  const delivered = deliveredAt(deal) !== undefined;
  const contested = isContested(deal);
  if (delivered && !contested && !judge(deal, now).final && !deal.verdict && now < verdictDueOf(deal))
    actions.push('verdict');
  if (contested && isLocked(deal) && now < splitOpensAt(deal)!) actions.push('decide');
  return deal.verdict || contested ? [...actions, ...feedback(deal)] : actions;
}

/** The exits of the escrow that open with time, for whoever calls them first. */
function anyonesActions(deal: Deal, now: number): Action[] {
  const escrow = deal.escrow;
  if (!escrow || deal.final) return [];
  if (escrow.outcome !== null) return isPaidOut(deal) ? [] : ['split'];
  const split = splitOpensAt(deal);
  if (split !== undefined) return now >= split ? ['split'] : [];
  if (escrow.delivered_at !== null) return now >= reviewEndOf(deal) ? ['claim'] : [];
  return now >= deadlineOf(deal) ? ['reclaim'] : [];
}

/** With escrow a dispute is a step on the ledger, whatever was said before; without, it is a message, and there is one. */
function canDispute(deal: Deal): boolean {
  if (deal.escrow && deal.escrow.delivered_at !== null) return deal.escrow.disputed_at === null;
  return !deal.dispute && !deal.verdict;
}

/** Disputed on the ledger, and not contested. */
function isDisputed(deal: Deal): boolean {
  return isLocked(deal) && deal.escrow!.disputed_at !== null && !isContested(deal);
}

function isContested({ escrow }: Deal): boolean {
  return (escrow?.contested_at ?? null) !== null;
}

function offerOf({ escrow }: Deal): number {
  return escrow?.offer_bps ?? 0;
}

function isPaidOut({ escrow }: Deal): boolean {
  return (escrow?.remaining ?? '0') === '0';
}

function isLocked(deal: Deal): boolean {
  return deal.escrow !== null && deal.escrow.outcome === null;
}

function isAbandoned(deal: Deal): boolean {
  return deal.escrow !== null && deal.clock >= deadlineOf(deal);
}

function feedback(deal: Deal): Action[] {
  return isEnded(deal) ? ['feedback'] : [];
}
