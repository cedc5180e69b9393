import { allowedActions } from './actions.ts';
import { type Deal, isParty } from './deal.ts';
import type { Action, DealEvent, MessageEvent } from './events.ts';
import { ruleDeliver, ruleDispute, ruleVerdict } from './fulfilment.ts';
import { judge } from './judgement.ts';
import { ruleLedger } from './ledger-facts.ts';
import { ruleAccept, ruleCounter, rulePropose, ruleReject } from './negotiation.ts';
import { type Refusal, type Ruling, refuse, type Step, withFacts } from './step.ts';
import { tieProblem } from './ties.ts';

/**
 * Applies an event that happened: a verified envelope of the other side, one's own once it is sent, or finalised
 * ledger state. Pure: the deal given is not changed. The same event twice changes nothing.
 */
export function advance(deal: Deal, event: DealEvent): Step {
  if (deal.history.some((entry) => entry.id === event.id)) return { ok: true, deal, outcome: 'duplicate' };
  const ruling = isClosedFor(deal, event) ? refuse('the deal is over') : rule(deal, event);
  if ('crossed' in ruling) return { ok: true, deal, outcome: 'crossed' };
  if ('add' in ruling) return { ok: true, deal: withFacts(deal, event, ruling.add, ruling.untold), outcome: 'applied' };
  return refusal(deal, event, ruling.refuse, ruling.premature ?? false);
}

/**
 * Applies a message that this node wants to send. Stricter than `advance`: a sender who knows of a message cannot
 * send one that is lawful only because the two crossed.
 */
export function attempt(deal: Deal, event: MessageEvent): Step {
  if (deal.history.some((entry) => entry.id === event.id)) return { ok: true, deal, outcome: 'duplicate' };
  const step = advance(deal, event);
  const allowed: readonly Action[] = allowedActions(deal, event.by, event.at);
  if (!step.ok || allowed.includes(event.type)) return step;
  return refusal(deal, event, `${article(judge(deal, event.at).state)} deal does not allow ${event.type}`, false);
}

/**
 * Facts that cannot change the end are still recorded: a delivery that crossed it, and excess payments. A withdrawal
 * that crossed the REJECT of the other side is taken too: its sender could not know.
 */
function isClosedFor(deal: Deal, event: DealEvent): boolean {
  if (!deal.final || (event.type === 'deliver' && deal.accepted)) return false;
  if (event.type === 'reject' && deal.declined && deal.declined.by !== event.by) return false;
  return deal.state !== 'settled' || event.type !== 'paid';
}

function rule(deal: Deal, event: DealEvent): Ruling {
  return tieProblem(deal, event) ?? ruleOf(deal, event);
}

function ruleOf(deal: Deal, event: DealEvent): Ruling {
  switch (event.type) {
    case 'propose':
      return rulePropose(deal, event);
    case 'counter':
      return ruleCounter(deal, event);
    case 'accept':
      return ruleAccept(deal, event);
    case 'reject':
      return ruleReject(deal, event);
    case 'deliver':
      return ruleDeliver(deal, event);
    case 'dispute':
      return ruleDispute(deal, event);
    case 'verdict':
      return ruleVerdict(deal, event);
    default:
      return ruleLedger(deal, event);
  }
}

function refusal(deal: Deal, event: DealEvent, detail: string, premature: boolean): Refusal {
  const known = isParty(deal, event.by) || deal.offers.some((offer) => offer.notary === event.by);
  const allowed = known ? allowedActions(deal, event.by, event.at) : [];
  return { ok: false, code: 'invalid_transition', detail, allowed, premature };
}

function article(state: string): string {
  return `${/^[aeiou]/.test(state) ? 'an' : 'a'} ${state}`;
}
