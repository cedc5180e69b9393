// Parts of a deal on the page: its place among the five steps, its card, its buttons.
import { at } from '../data.js';
import { h } from '../dom.js';
import { clean, usdc } from '../format.js';
import { agentLink } from '../parts.js';
import { isOwnOffer, reasonOf, roleOf, stateTag, timerOf, workOf } from './deal-words.js';
import { stepsOf } from './steps.js';

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
    { class: 'card stack tight', 'data-deal': deal.conversation_id, 'data-key': `deal ${deal.conversation_id}` },
    h('div', { class: 'row apart fixed' }, agentLink(deal.counterparty, { size: 'tiny' }), stateTag(deal)),
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
