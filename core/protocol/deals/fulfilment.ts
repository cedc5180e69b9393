import { type Deal, lastOffer, SKEW_MS } from './deal.ts';
import type { MessageEvent } from './events.ts';
import { deadlineOf, deliveredAt, reviewEndOf, verdictDueOf } from './moments.ts';
import { type Ruling, refuse, stampOf, tooEarly } from './step.ts';

type Deliver = Extract<MessageEvent, { type: 'deliver' }>;
type Dispute = Extract<MessageEvent, { type: 'dispute' }>;
type Verdict = Extract<MessageEvent, { type: 'verdict' }>;

/** One delivery a deal; a second one stands only if it is the one that the provider named on the ledger. */
export function ruleDeliver(deal: Deal, event: Deliver): Ruling {
  if (event.by !== deal.provider) return refuse('only the provider delivers');
  if (!deal.accepted) return tooEarly('the deal is not accepted');
  if (deal.delivery && deal.escrow?.delivery !== event.id) return refuse('the deal is delivered');
  if (event.at >= deadlineOf(deal)) return refuse('the deadline has passed');
  if (event.at < deal.accepted.at - SKEW_MS) return refuse('the delivery is signed before the deal was accepted');
  return { add: { delivery: stampOf(event) } };
}

export function ruleDispute(deal: Deal, event: Dispute): Ruling {
  if (event.by !== deal.requester) return refuse('only the requester disputes');
  if (deal.accepted && lastOffer(deal).amount === '0') return refuse('nothing was owed; leave feedback instead');
  if (!deal.accepted || deliveredAt(deal) === undefined) return tooEarly('there is nothing delivered to dispute');
  if (deal.dispute) return refuse('the deal is disputed');
  if (event.at >= reviewEndOf(deal)) return late(deal, 'the review is over');
  const { offer_bps } = event;
  return { add: { dispute: { ...stampOf(event), ...(offer_bps !== undefined && { offer_bps }) } } };
}

export function ruleVerdict(deal: Deal, event: Verdict): Ruling {
  const { notary, amount } = lastOffer(deal);
  if (!deal.accepted) return tooEarly('the deal is not accepted');
  if (event.by !== notary) return refuse('only the assigned notary gives a verdict');
  if (amount === '0') return refuse('nothing was owed; leave feedback instead');
  if (deliveredAt(deal) === undefined) return tooEarly('there is nothing delivered to judge');
  if (deal.verdict) return refuse('the verdict is given');
  if (event.at >= verdictDueOf(deal)) return late(deal, 'the time for a verdict is over');
  return { add: { verdict: { ...stampOf(event), outcome: event.outcome } } };
}

/** With escrow the ledger's time of delivery counts, which may still have to be read. */
function late(deal: Deal, detail: string): Ruling {
  return deal.escrow && deal.escrow.delivered_at === null ? tooEarly(detail) : refuse(detail);
}
