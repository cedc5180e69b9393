import { type Deal, REMIND_MS } from './deal.ts';
import { judge, judged } from './judgement.ts';
import { deadlineOf, reviewEndOf, splitOpensAt } from './moments.ts';

/** A ledger step that is open to anyone and that this deal waits for, or a dispute that the requester's node must raise. */
export type LedgerStep = 'reclaim' | 'claim' | 'split' | 'dispute';

/** `lapse`: time alone changes the deal. A ledger step: remind the node, hourly, until the ledger has moved. */
export interface DealTimer {
  readonly at: number;
  readonly kind: 'lapse' | LedgerStep;
}

/** The next moment at which `onTimer` must run; undefined when nothing is waited for any more. */
export function nextTimer(deal: Deal): DealTimer | undefined {
  const { until } = judge(deal, deal.clock);
  const reminder = nextReminder(deal);
  if (until === null) return reminder;
  return reminder && reminder.at <= until ? reminder : { at: until, kind: 'lapse' };
}

/**
 * The deal as it stands at `now`, and the ledger step to take, if one is due. Running it early, late or twice is
 * harmless: a reminder is repeated, never a transition.
 */
export function onTimer(deal: Deal, now: number): { readonly deal: Deal; readonly due?: LedgerStep } {
  const current = judged(deal, now);
  const reminder = nextReminder(current);
  if (!reminder || reminder.at > now) return { deal: current };
  return { deal: { ...current, reminded_at: now }, due: reminder.kind };
}

function nextReminder(deal: Deal): { at: number; kind: LedgerStep } | undefined {
  const step = ledgerStep(deal);
  if (!step) return undefined;
  return { at: Math.max(step.at, deal.reminded_at === 0 ? 0 : deal.reminded_at + REMIND_MS), kind: step.kind };
}

function ledgerStep(deal: Deal): { at: number; kind: LedgerStep } | undefined {
  const escrow = deal.escrow;
  if (!escrow || deal.final) return undefined;
  if (escrow.outcome) return { at: escrow.locked_at, kind: 'split' };
  const split = splitOpensAt(deal);
  if (split !== undefined) return { at: split, kind: 'split' };
  if (escrow.delivered_at === null) return { at: deadlineOf(deal), kind: 'reclaim' };
  const end = reviewEndOf(deal);
  if (deal.delivery?.id === escrow.delivery) return { at: end, kind: 'claim' };
  // The ledger names a DELIVER that never came: the requester disputes while half of the review is left.
  const half = (escrow.delivered_at + end) / 2;
  return deal.clock < end ? { at: half, kind: 'dispute' } : { at: end, kind: 'claim' };
}
