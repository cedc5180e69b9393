// What a deal looks like: its state in words, its place among the five steps, its buttons.
import { at } from '../data.js';
import { h } from '../dom.js';
import { clean, duration, usdc } from '../format.js';
import { agentLink, time } from '../parts.js';
import { isOwnOffer, stepsOf } from './steps.js';

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

/** Who owes whom, from this node's side. */
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

/** The five steps as a strip, the last one red when it ended badly. */
export function strip(deal) {
  const { state, escrow, history } = deal;
  const agreed = history.some(({ event }) => /^accept$/i.test(event));
  const came = history.some(({ event }) => /^deliver$/i.test(event)) || escrow.delivered_at !== undefined;
  const done = [true, agreed, escrow.locked_at !== undefined || (agreed && !escrow.agreed), came, state === 'settled'];
  const bad = { disputed: 3, contested: 3, abandoned: 3, expired: 4, refunded: 4, rejected: 1, split: 4 }[state];
  return h(
    'div',
    { class: 'steps', 'aria-hidden': true },
    done.map((one, index) => h('i', { class: index === bad ? 'no' : one && 'done' })),
  );
}

/** Its buttons; `place` opens the panel of the one that is pressed, `after` hears of a step that was taken. */
export function stepButtons(deal, place, after) {
  const steps = stepsOf(deal);
  if (steps.length === 0) return undefined;
  return h(
    'div',
    { class: 'stack tight' },
    h(
      'div',
      { class: 'row' },
      steps.map(({ action, label, look, reason, panel }) =>
        h(
          'button',
          {
            ...{ type: 'button', class: look, disabled: reason !== undefined, 'data-action': action },
            'data-key': `${action} ${deal.conversation_id}`,
            onclick: () => place.open({ ...panel, run: (...given) => panel.run(...given).then(after) }),
          },
          label,
        ),
      ),
    ),
    steps
      .filter(({ reason }) => reason)
      .map(({ label, reason }) => h('p', { class: 'meta' }, `${label}: ${clean(reason, 200)}`)),
  );
}

/** A deal in its column. */
export function dealCard(deal, place, after) {
  const reason = reasonOf(deal);
  const timer = timerOf(deal);
  return h(
    'article',
    { class: 'card stack tight', 'data-deal': deal.conversation_id },
    h('div', { class: 'row apart' }, agentLink(deal.counterparty, { size: 'tiny' }), stateTag(deal)),
    h('p', { class: 'say' }, h('a', { href: at(['deals', deal.conversation_id]) }, workOf(deal))),
    h(
      'p',
      { class: 'row apart' },
      h('span', { class: 'meta' }, roleOf(deal)),
      h('b', { class: 'price' }, usdc(deal.amount_usdc_micro)),
    ),
    (reason || timer) && h('p', { class: 'meta' }, reason ?? timer),
    stepButtons(deal, place, after),
  );
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

const EVENTS = {
  propose: 'offered a deal',
  counter: 'answered with another offer',
  accept: 'agreed',
  deliver: 'delivered',
  dispute: 'disputes the delivery',
  verdict: 'gave a verdict',
  paid: 'paid',
  locked: 'locked the money',
  escrow_delivered: 'named the delivery on the ledger',
  escrow_disputed: 'objected on the ledger',
  escrow_contested: 'stands by its work',
  closed: 'had the ledger pay out',
  feedback: 'left a rating',
};

/** A line of the history as a sentence without its actor. */
export function eventWords({ event, by }, deal) {
  const name = String(event).toLowerCase();
  if (name === 'reject')
    return isOwnOffer(deal) === (by !== deal.counterparty) ? 'withdrew the offer' : 'declined the offer';
  return EVENTS[name] ?? clean(event, 40);
}
