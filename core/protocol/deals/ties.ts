import { type Deal, lastOffer } from './deal.ts';
import type { DealEvent } from './events.ts';
import { type Ruling, refuse, tooEarly } from './step.ts';

/**
 * Whether a message of version 2 names this deal's payer and the envelope that it answers here. Aggregators see
 * nothing else of it, and would otherwise tie it to another deal or to none. Undefined when nothing is wrong.
 */
export function tieProblem(deal: Deal, event: DealEvent): Ruling | undefined {
  if (!('answers' in event) || event.type === 'propose') return undefined;
  const { type, payer, answers } = event;
  if (answers === undefined) return undefined;
  if (payer !== deal.requester) return refuse('it names another payer');
  switch (type) {
    case 'counter':
    case 'accept':
    case 'reject':
      return offerProblem(deal, type, answers);
    default:
      return deal.accepted && deal.accepted.id !== answers ? refuse('it names another ACCEPT') : undefined;
  }
}

function offerProblem(deal: Deal, type: 'counter' | 'accept' | 'reject', answers: string): Ruling | undefined {
  if (deal.accepted) return undefined;
  if (!deal.offers.some(({ id }) => id === answers)) return tooEarly('this offer is not known here');
  // An ACCEPT is judged by its rule; a REJECT may cross a newer offer.
  return type === 'counter' && lastOffer(deal).id !== answers ? refuse('a newer offer is on the table') : undefined;
}
