import { type Deal, isParty, lastOffer, SKEW_MS } from './deal.ts';
import type { MessageEvent, ProposeEvent } from './events.ts';
import { openDeal } from './open.ts';
import { type Ruling, refuse, stampOf, tooEarly } from './step.ts';
import { completeTerms, termsProblem } from './terms.ts';

type Counter = Extract<MessageEvent, { type: 'counter' }>;
type Accept = Extract<MessageEvent, { type: 'accept' }>;
type Reject = Extract<MessageEvent, { type: 'reject' }>;

/** How many counters this side has made. */
export function countersBy(deal: Deal, key: string): number {
  return deal.offers.slice(1).filter((offer) => offer.by === key).length;
}

/**
 * A second PROPOSE stands only where both sides opened the conversation at once: the one with the lower id wins on
 * both nodes, and the other is as if never made.
 */
export function rulePropose(deal: Deal, event: ProposeEvent): Ruling {
  const first = deal.offers[0]!;
  if (!isParty(deal, event.by) || !isParty(deal, event.to)) return refuse('this conversation is between others');
  const twice = deal.history.some((entry) => entry.event === 'propose' && entry.by === event.by);
  if (twice || deal.offers.length > 1 || deal.accepted || deal.declined)
    return refuse('this conversation has its deal');
  if (event.id > first.id) return { crossed: true };
  const fresh = openDeal(event);
  if (!fresh.ok) return refuse(fresh.detail);
  const { history, clock, ...facts } = fresh.deal;
  return { add: facts };
}

export function ruleCounter(deal: Deal, event: Counter): Ruling {
  const offer = lastOffer(deal);
  const problem = answerProblem(deal, event);
  if (problem) return problem;
  if (deal.withdrawn) return { crossed: true };
  if (countersBy(deal, event.by) >= deal.max_rounds)
    return refuse(`each side may counter ${deal.max_rounds} times; accept or reject`);
  const terms = completeTerms(event.terms, offer, event.at);
  const wrong = termsProblem(terms, event.at, [deal.requester, deal.provider]);
  return wrong ? refuse(wrong) : { add: { offers: [...deal.offers, { ...terms, ...stampOf(event) }] } };
}

/** An ACCEPT signed in time stands even where the offer has meanwhile been withdrawn or has run out. */
export function ruleAccept(deal: Deal, event: Accept): Ruling {
  const offer = lastOffer(deal);
  if (!deal.offers.some((made) => made.id === event.offer) && isParty(deal, event.by) && !deal.accepted)
    return tooEarly('this offer is not known here');
  const problem = answerProblem(deal, event);
  if (problem) return problem;
  if (event.offer !== offer.id) return refuse('a newer offer is on the table');
  if (event.amount !== offer.amount) return refuse(`the offer is for ${offer.amount} minor units`);
  return { add: { accepted: stampOf(event) } };
}

/** A REJECT of one's own offer withdraws it, of the other's declines it; both lose to an ACCEPT. */
export function ruleReject(deal: Deal, event: Reject): Ruling {
  const offer = lastOffer(deal);
  if (!isParty(deal, event.by)) return refuse('only the two parties negotiate');
  if (event.offer !== undefined && !deal.offers.some((made) => made.id === event.offer))
    return tooEarly('this offer is not known here');
  if (deal.accepted)
    return deal.accepted.by === event.by ? refuse('an accepted deal cannot be rejected') : { crossed: true };
  if (deal.declined || (deal.withdrawn && offer.by === event.by)) return { crossed: true };
  if (event.at >= offer.expires_at) return refuse('the offer has expired');
  return { add: offer.by === event.by ? { withdrawn: stampOf(event) } : { declined: stampOf(event) } };
}

function answerProblem(deal: Deal, event: Counter | Accept): Ruling | undefined {
  const offer = lastOffer(deal);
  if (!isParty(deal, event.by)) return refuse('only the two parties negotiate');
  if (deal.accepted) return refuse('the deal is accepted');
  if (deal.declined) return refuse('the deal was rejected');
  if (event.by === offer.by) return refuse('this is your own offer; the other side answers');
  if (event.at >= offer.expires_at) return refuse('the offer has expired');
  if (event.at < offer.at - SKEW_MS) return refuse('the answer is signed before the offer it answers');
  return undefined;
}
