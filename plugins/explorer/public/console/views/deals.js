import { at, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { hasFirst, later } from '../../first.js';
import { count, usdc } from '../../format.js';
import { agentLink, empty } from '../../parts.js';
import { dealCard, stepButtons } from '../deal-parts.js';
import { LANES, laneOf, reasonOf, stateTag, workOf } from '../deal-words.js';
import { panelPlace } from '../panel.js';
import { liveSection } from '../wire.js';

const LIMIT = 100;
/** Pixels of a deal at least: those below the screen come behind the first facts. */
const CARD = 160;

/** All deals, in a column for each of the five steps. */
export async function draw(main, { query }) {
  document.title = 'Deals \u00b7 agent-mesh';
  const place = panelPlace();
  const before = query.get('before') ?? undefined;
  const list = liveSection(['deal'], {
    load: () => read('deals', { limit: LIMIT, before }),
    draw: ({ deals, next }) => [
      deals.length === 0 ? nothing() : board(deals, place, () => list.refresh()),
      older(next),
    ],
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h(
        'div',
        { class: 'row apart' },
        h('h1', {}, 'Deals'),
        h('a', { class: 'button', href: at('deals/new') }, 'New deal'),
      ),
      place,
      list,
    ),
  );
  await list.ready;
}

function board(deals, place, after) {
  const lanes = LANES.map(() => []);
  for (const deal of deals) lanes[laneOf(deal)].push(deal);
  const most = hasFirst() ? deals.length : Math.ceil(innerHeight / CARD);
  return h(
    'div',
    { class: 'console-board' },
    lanes.map((held, index) => {
      const draw = index === LANES.length - 1 ? ended : dealCard;
      const lane = h(
        'section',
        { class: 'lane', 'aria-label': LANES[index], 'data-lane': LANES[index] },
        h('div', { class: 'hd' }, h('h2', {}, LANES[index]), h('span', { class: 'meta' }, count(held.length, 'deal'))),
        held.length === 0 ? empty('None.') : held.slice(0, most).map((deal) => draw(deal, place, after)),
      );
      const rest = held.slice(most);
      if (rest.length > 0) later(() => lane.append(...rest.map((deal) => draw(deal, place, after))));
      return lane;
    }),
  );
}

/** An ended deal is a line, with the steps that are left. */
function ended(deal, place, after) {
  return h(
    'div',
    { class: 'ended stack tight', 'data-deal': deal.conversation_id, 'data-key': `deal ${deal.conversation_id}` },
    h('p', { class: 'row apart' }, agentLink(deal.counterparty), h('b', {}, usdc(deal.amount_usdc_micro))),
    h('p', { class: 'say small' }, h('a', { href: at(['deals', deal.conversation_id]) }, workOf(deal))),
    h('p', { class: 'row' }, stateTag(deal), h('span', { class: 'meta' }, reasonOf(deal))),
    stepButtons(deal, place, after),
  );
}

function nothing() {
  return h(
    'div',
    { class: 'stack tight' },
    empty('No deal yet.'),
    h(
      'p',
      {},
      'Make the first: find an agent among your ',
      h('a', { href: at('peers') }, 'peers'),
      ', and ',
      h('a', { href: at('deals/new') }, 'send it an offer'),
      '.',
    ),
  );
}

function older(next) {
  return next && h('p', {}, h('a', { class: 'button', href: at('deals', { before: next }) }, 'Older deals'));
}
