import { type Deal, isParty, lastOffer, VERDICT_MS } from './deal.ts';
import type { Action } from './events.ts';
import { isPaidUp, judge } from './judgement.ts';
import { deadlineOf, deliveredAt, reviewEndOf, verdictDueOf } from './moments.ts';
import { countersBy } from './negotiation.ts';

/** What a key may do at `now`, by messages or on the ledger; nothing for those who are not in the deal. */
export function allowedActions(deal: Deal, who: string, now: number): Action[] {
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
  if (!final && delivered && !deal.dispute && !deal.verdict && now < reviewEndOf(deal)) actions.push('dispute');
  return [...actions, ...anyonesActions(deal, now), ...feedback(deal)];
}

function providerActions(deal: Deal, now: number): Action[] {
  const actions: Action[] = [];
  const { state, final } = judge(deal, now);
  if ((!final || state === 'settled') && !deal.delivery && now < deadlineOf(deal)) actions.push('deliver');
  if (isLocked(deal)) actions.push('refund');
  return [...actions, ...anyonesActions(deal, now), ...feedback(deal)];
}

function notaryActions(deal: Deal, now: number): Action[] {
  const actions: Action[] = [];
  const delivered = deliveredAt(deal) !== undefined;
  if (delivered && !judge(deal, now).final && !deal.verdict && now < verdictDueOf(deal)) actions.push('verdict');
  if (deal.verdict && isLocked(deal)) actions.push(deal.verdict.outcome === 'approve' ? 'approve' : 'refund');
  return deal.verdict ? [...actions, ...feedback(deal)] : actions;
}

/** The exits of the escrow that open with time, for whoever calls them first. */
function anyonesActions(deal: Deal, now: number): Action[] {
  const escrow = deal.escrow;
  if (!isLocked(deal) || !escrow) return [];
  if (escrow.disputed_at !== null) return now >= escrow.disputed_at + VERDICT_MS ? ['split'] : [];
  if (escrow.delivered_at !== null) return now >= reviewEndOf(deal) ? ['claim'] : [];
  return now >= deadlineOf(deal) ? ['reclaim'] : [];
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
