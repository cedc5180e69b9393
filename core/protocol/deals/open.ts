import { type Deal, MAX_ROUNDS } from './deal.ts';
import type { ProposeEvent } from './events.ts';
import { judged } from './judgement.ts';
import { type Step, stampOf } from './step.ts';
import { completeTerms, ROUNDS, termsProblem } from './terms.ts';

/** The deal that a PROPOSE begins. Refused when it is addressed to its sender or its terms cannot stand. */
export function openDeal(event: ProposeEvent): Step {
  const terms = completeTerms(event.terms, undefined, event.at);
  const max_rounds = event.max_rounds ?? ROUNDS;
  const requester = event.as === 'provider' ? event.to : event.by;
  const problem =
    event.by === event.to
      ? 'a deal needs two parties'
      : (event.payer ?? requester) !== requester
        ? 'whoever proposes pays'
        : Number.isInteger(max_rounds) && max_rounds >= 0 && max_rounds <= MAX_ROUNDS
          ? termsProblem(terms, event.at, [event.by, event.to])
          : `max_rounds must be 0 to ${MAX_ROUNDS}`;
  if (problem) return { ok: false, code: 'invalid_transition', detail: problem, allowed: [], premature: false };
  const stamp = stampOf(event);
  const deal: Deal = {
    conversation: event.conversation,
    requester,
    provider: requester === event.by ? event.to : event.by,
    state: 'proposed',
    reason: null,
    against: null,
    final: false,
    max_rounds,
    offers: [{ ...terms, ...stamp }],
    withdrawn: null,
    declined: null,
    accepted: null,
    delivery: null,
    dispute: null,
    verdict: null,
    paid: '0',
    payments: 0,
    escrow: null,
    clock: event.at,
    reminded_at: 0,
    history: [{ event: event.type, ...stamp }],
  };
  return { ok: true, deal: judged(deal, event.at), outcome: 'applied' };
}
