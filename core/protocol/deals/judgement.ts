import { isLateLock } from './agreed-lock.ts';
import { type Deal, type DealReason, type DealState, type EscrowOutcome, lastOffer } from './deal.ts';
import {
  arrearsCloseAt,
  deadlineOf,
  deliveredAt,
  deliveryClosesAt,
  lockDueOf,
  offerClosesAt,
  reviewEndOf,
  verdictDueOf,
} from './moments.ts';

/**
 * The state of a deal at one moment, as its facts give it. Two nodes that hold the same facts judge the same at the
 * same moment, in whatever order the facts reached them, so crossing messages cannot split a deal.
 */
export interface Judgement {
  readonly state: DealState;
  readonly reason: DealReason | null;
  readonly against: string | null;
  /** The moment at which time alone changes this judgement, or makes it final. */
  readonly until: number | null;
  readonly final: boolean;
}

const CLOSED: Record<EscrowOutcome, DealState> = {
  released: 'settled',
  claimed: 'settled',
  refunded: 'refunded',
  reclaimed: 'abandoned',
  decided: 'decided',
  split: 'split',
};

export function judge(deal: Deal, now: number): Judgement {
  if (!deal.accepted) return judgeOffer(deal, now);
  if (deal.escrow?.outcome) return judgeEnd(deal, deal.escrow.outcome, deal.escrow.remaining);
  if (deliveredAt(deal) === undefined) return judgeWork(deal, now);
  if (lastOffer(deal).amount === '0') return ended('settled');
  return deal.escrow ? judgeEscrow(deal) : judgePayment(deal, now);
}

/** The deal with its state as it stands at `now`, which never runs backwards. */
export function judged(deal: Deal, now: number): Deal {
  const clock = Math.max(deal.clock, now);
  const { state, reason, against, final } = judge(deal, clock);
  return { ...deal, state, reason, against, final, clock };
}

export function isPaidUp(deal: Deal): boolean {
  return BigInt(deal.paid) >= BigInt(lastOffer(deal).amount);
}

function judgeOffer(deal: Deal, now: number): Judgement {
  const offer = lastOffer(deal);
  if (deal.declined) return ended('rejected', 'declined');
  if (deal.withdrawn) return closing('rejected', 'withdrawn', null, offerClosesAt(deal), now);
  if (now >= offer.expires_at) return closing('expired', 'offer_expired', null, offerClosesAt(deal), now);
  return waiting(deal.offers.length > 1 ? 'countered' : 'proposed', offer.expires_at);
}

function judgeWork(deal: Deal, now: number): Judgement {
  const late = isLateLock(deal);
  const lockMissing = lastOffer(deal).escrow && (!deal.escrow || late) && !isPaidUp(deal);
  // It waits for its money to come back.
  if (late && now >= lockDueOf(deal))
    return { ...waiting('expired', null), reason: 'not_locked', against: deal.requester };
  if (lockMissing && now >= lockDueOf(deal))
    return closing('expired', 'not_locked', deal.requester, deliveryClosesAt(deal), now);
  if (now < deadlineOf(deal)) return waiting('accepted', lockMissing ? lockDueOf(deal) : deadlineOf(deal));
  if (deal.escrow) return { ...waiting('abandoned', null), reason: 'not_delivered', against: deal.provider };
  return closing('expired', 'not_delivered', deal.provider, deliveryClosesAt(deal), now);
}

/** The end stands; the ledger is watched until all of it is paid. */
function judgeEnd(deal: Deal, outcome: EscrowOutcome, remaining: string | undefined): Judgement {
  const end = outcome === 'reclaimed' ? judgeReclaimed(deal) : ended(CLOSED[outcome]);
  return { ...end, final: (remaining ?? '0') === '0' };
}

/** A lock that came too late obliged nobody to deliver. */
function judgeReclaimed(deal: Deal): Judgement {
  return isLateLock(deal)
    ? ended('expired', 'not_locked', deal.requester)
    : ended(CLOSED.reclaimed, 'not_delivered', deal.provider);
}

/** Locked money moves on the ledger only, so nothing but the ledger ends these states. */
function judgeEscrow(deal: Deal): Judgement {
  const { disputed_at, contested_at } = deal.escrow!;
  if (contested_at != null) return waiting('contested', null);
  if (disputed_at !== null) return waiting('disputed', null);
  if (deal.verdict) return waiting('verdict', null);
  return waiting(deal.dispute ? 'disputed' : 'delivered', null);
}

function judgePayment(deal: Deal, now: number): Judgement {
  if (isPaidUp(deal)) return ended('settled');
  const close = arrearsCloseAt(deal);
  if (deal.verdict?.outcome === 'reject') return closing('verdict', null, null, close, now);
  if (!deal.verdict && deal.dispute) {
    const due = verdictDueOf(deal);
    return now < due ? waiting('disputed', due) : closing('expired', 'no_verdict', null, close, now);
  }
  const due = deal.verdict ? deal.verdict.at + lastOffer(deal).review_secs * 1000 : reviewEndOf(deal);
  if (now < due) return waiting(deal.verdict ? 'verdict' : 'delivered', due);
  return closing('expired', 'not_paid', deal.requester, close, now);
}

function waiting(state: DealState, until: number | null): Judgement {
  return { state, reason: null, against: null, until, final: false };
}

function ended(state: DealState, reason: DealReason | null = null, against: string | null = null): Judgement {
  return { state, reason, against, until: null, final: true };
}

function closing(
  state: DealState,
  reason: DealReason | null,
  against: string | null,
  closes: number,
  now: number,
): Judgement {
  return now < closes
    ? { state, reason, against, until: closes, final: false }
    : { state, reason, against, until: null, final: true };
}
