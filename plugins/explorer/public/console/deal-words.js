// A deal in words: its state, its column, its clock, and the step that waits for the operator.
import { h } from '../dom.js';
import { clean, duration } from '../format.js';
import { agentLink, time } from '../parts.js';

export const LANES = ['Offers', 'Agreed', 'Money locked', 'Delivered', 'Ended'];
const LANE_OF = {
  ...{ proposed: 0, countered: 0, accepted: 1, delivered: 3, disputed: 3, contested: 3, verdict: 3 },
};
const ENDED = 4;

const WORDS = {
  proposed: 'offered',
  countered: 'countered',
  accepted: 'agreed',
  verdict: 'verdict given',
  abandoned: 'not delivered',
};
const LOOKS = {
  ...{
    settled: 'ok',
    disputed: 'bad',
    contested: 'bad',
    abandoned: 'bad',
    expired: 'act',
    verdict: 'act',
    split: 'act',
  },
};
const REASONS = {
  declined: 'it was declined',
  withdrawn: 'it was withdrawn',
  offer_expired: 'the offer lapsed',
  not_locked: 'the money was not locked in time',
  not_delivered: 'the work did not come in time',
  not_paid: 'it was not paid in time',
  no_verdict: 'no verdict came',
};
const TIMERS = {
  lapse: 'Lapses',
  reclaim: 'The money can be taken back',
  claim: 'Paid out by itself',
  split: 'The dispute is paid out',
  dispute: 'Disputed by itself',
};

/** The column of a deal, 0 to 4. One with locked money has left the agreed ones. */
export function laneOf({ state, escrow }) {
  const lane = LANE_OF[state] ?? ENDED;
  return lane === 1 && escrow.locked_at !== undefined ? 2 : lane;
}

export function stateTag(deal) {
  const word = laneOf(deal) === 2 ? 'money locked' : (WORDS[deal.state] ?? clean(deal.state, 24));
  return h('span', { class: `tag ${LOOKS[deal.state] ?? ''}` }, word);
}

export function reasonOf({ reason }) {
  return reason && (REASONS[reason] ?? clean(reason, 60));
}

/** The debt of a deal, from this node's side. */
export function roleOf({ role }) {
  return { requester: 'you pay', provider: 'pays you', notary: 'you are the notary' }[role] ?? clean(role, 24);
}

/** The change that comes by itself. */
export function timerOf({ next_timer: timer }) {
  if (!timer) return undefined;
  const left = Date.parse(timer.at) - Date.now();
  return [TIMERS[timer.kind] ?? 'Changes', ' ', time(timer.at, left > 0 ? `in ${duration(left)}` : 'now')];
}

export function workOf({ message }) {
  return h('bdi', {}, message ? `\u201c${clean(message)}\u201d` : 'no words of the work');
}

/** A sentence of what waits for the operator in a deal; undefined where nothing does. */
export function waitsFor(deal) {
  const can = new Set(deal.allowed_actions);
  const who = agentLink(deal.counterparty, { sealed: false });
  if (can.has('accept')) {
    return [who, deal.role === 'provider' ? ' offers to pay you.' : ' asks for another price.'];
  }
  if (can.has('lock')) return [who, ' agreed. Lock the money so that it can begin.'];
  if (can.has('deliver') && (!deal.escrow.agreed || deal.escrow.locked_at)) return [who, ' waits for your work.'];
  if (can.has('approve') && deal.escrow.delivered_at)
    return [who, ' delivered. Look at the work, then release the money.'];
  if (can.has('pay') && deal.state === 'delivered') return [who, ' delivered. Look at the work, then pay.'];
  if (can.has('contest')) return [who, ' disputes your work. Say whether you stand by it.'];
  if (can.has('verdict') || can.has('decide')) return ['A deal waits for your word as its notary.'];
  if (can.has('reclaim')) return [who, ' did not deliver. Take your money back.'];
  if (can.has('split')) return ['A dispute with ', who, ' can be paid out.'];
  return undefined;
}

/** Whether the offer on the table is this node's. */
export function isOwnOffer({ history, counterparty }) {
  const last = history.findLast(({ event }) => /^(propose|counter)$/i.test(event));
  return last !== undefined && last.by !== counterparty;
}
