import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import type { Deal } from '../../protocol/deals/deal.ts';
import type { FeedbackPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { agentOf } from './addresses.ts';

const OUTCOMES = ['negative', 'neutral', 'positive'] as const;
const ROLES = ['participant', 'notary'] as const;

type Request = SchemaTypes['feedback-request'];
type Sides = Pick<Deal, 'requester' | 'provider'>;

/** The rating that a request means, whatever words or numbers it uses; `deal` says whom it rates when nobody is named. */
export function feedbackOf(request: Request, deal: Deal | undefined, self: string): FeedbackPayload {
  const { conversation_id, score, outcome = outcomeOf(score), role = 'participant', is_dispute = false } = request;
  const party = deal !== undefined && (self === deal.requester || self === deal.provider);
  if (party && numberOf(ROLES, role) === 1)
    throw invalidField('/role', 'is participant (0): you are a party of this deal and not its notary');
  return {
    conversation_id,
    target_agent: targetOf(request) ?? otherSide(deal, self),
    score,
    outcome: numberOf(OUTCOMES, outcome),
    is_dispute,
    role: numberOf(ROLES, role),
  };
}

/** The same of a notary, who has to name which of the two it rates. */
export function notaryFeedbackOf(request: Request, { requester, provider }: Sides): FeedbackPayload {
  const { conversation_id, score, outcome = outcomeOf(score), role = 'notary', is_dispute = false } = request;
  if (numberOf(ROLES, role) !== 1)
    throw invalidField('/role', 'is notary (1): you are the notary of this deal and not a party');
  const target_agent = targetOf(request);
  if (target_agent === undefined)
    throw invalidField('/target_agent', `is needed: as the notary you rate ${requester} or ${provider}`);
  if (![requester, provider].includes(target_agent))
    throw invalidField('/target_agent', `is no side of this deal: ${requester} and ${provider} are`);
  return {
    ...{ conversation_id, target_agent, score, is_dispute },
    ...{ outcome: numberOf(OUTCOMES, outcome), role: numberOf(ROLES, role) },
  };
}

/** The rating with its numbers and their names. */
export function feedbackView(payload: FeedbackPayload): SchemaTypes['feedback-view'] {
  const { outcome, role } = payload;
  return { ...payload, outcome_name: OUTCOMES[outcome], role_name: ROLES[role] };
}

function targetOf({ target_agent, recipient }: Request): string | undefined {
  const target = target_agent && formatAgentId(agentOf(target_agent, '/target_agent'));
  const other = recipient && formatAgentId(agentOf(recipient, '/recipient'));
  if (target && other && target !== other)
    throw invalidField('/recipient', 'is not the target_agent: name one of them');
  return target || other || undefined;
}

function otherSide(deal: Deal | undefined, self: string): string {
  if (!deal) throw invalidField('/target_agent', 'is needed: this node has no such deal');
  return self === deal.requester ? deal.provider : deal.requester;
}

function numberOf<N extends number>(names: readonly string[], given: string | number): N {
  return (typeof given === 'number' ? given : names.indexOf(given)) as N;
}

function outcomeOf(score: number): (typeof OUTCOMES)[number] {
  if (score === 0) return 'neutral';
  return score > 0 ? 'positive' : 'negative';
}
