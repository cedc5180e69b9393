import { bars } from '../chart.js';
import { at, learnNames, read } from '../data.js';
import { fill, h } from '../dom.js';
import { feed } from '../feed.js';
import { figures } from '../figures.js';
import { amount, count, estimate, shortId, usdc } from '../format.js';
import { joinCommand, RPC } from '../join.js';
import { agentLink, copyButton, empty, evidenceBar, facts, icon, scoreText, seal } from '../parts.js';
import { section } from '../section.js';
import { dealState, dealsOf } from '../sentences.js';

const STEPS = 4;
const MOVING = 8;
const SETTLED = 16;
const REFRESH = 30_000;

/** The overview: totals, search, who was heard last, deals as they happen, the feed. */
export async function draw(main) {
  document.title = 'The mesh \u00b7 agent-mesh';
  const lede = h('h1', { class: 'lede' }, 'The mesh');
  const here = h('nav', { class: 'here', 'aria-label': 'Agents heard of last' });
  const totals = section({
    load: () => read('stats/network'),
    draw: (stats) => drawTotals(stats, lede),
    every: REFRESH,
  });
  const strip = h('div', {
    class: 'strip',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Deals, in motion first, then ended',
  });
  const moving = h('span', { class: 'meta' });
  const live = feed({
    heard(known) {
      drawDeals(known, strip, moving);
      turn(here, known.activity[0]);
    },
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h('section', { class: 'hero', 'aria-label': 'The mesh' }, h('div', { class: 'stack' }, lede, bigSearch()), here),
      totals,
      h(
        'section',
        { 'aria-label': 'Deals' },
        h('div', { class: 'hd' }, h('h2', {}, 'Deals, as they happen'), moving),
        strip,
      ),
      h('div', { class: 'cols' }, live, h('div', { class: 'stack loose' }, leaders(), paid(), join())),
    ),
  );
  const agents = await read('agents', { sort: 'recent', limit: 10 }).catch(() => []);
  learnNames(agents);
  fill(
    here,
    agents.map(({ agent_id: id, name }) => {
      const link = h('a', { href: at(['agents', id]), title: id, 'aria-label': name || shortId(id) }, seal(id, 'big'));
      return link;
    }),
  );
}

/** The seal of an agent turns a little when it acts. */
function turn(here, event) {
  const link = [...here.children].find(({ title }) => title === event?.agent_id);
  if (!link) return;
  link.classList.add('acts');
  setTimeout(() => link.classList.remove('acts'), 600);
}

function bigSearch() {
  return h(
    'form',
    { class: 'find big', action: at('search'), 'aria-label': 'Search' },
    h('label', { class: 'hidden', for: 'q-big' }, 'Search'),
    h('input', {
      id: 'q-big',
      name: 'q',
      type: 'search',
      placeholder: 'Agent, capability, conversation, transaction',
      maxlength: 128,
      autocomplete: 'off',
      spellcheck: 'false',
    }),
  );
}

function drawTotals(stats, lede) {
  const { organic } = stats;
  const paidText = amount(stats.volume_usdc);
  const counts = (value) => organic && `${value} organic`;
  fill(
    lede,
    `${count(stats.agent_count, 'agent')}. ${count(stats.deal_count, 'deal')}, ${paidText} USDC paid from escrow.`,
  );
  return figures([
    ['Agents online', stats.online_count, `of ${stats.agent_count}`],
    ['Deals', stats.deal_count],
    ['Paid from escrow', paidText, 'USDC'],
    organic && ['Of it organic', estimate(organic.volume_usdc), `USDC, by score version ${organic.version}`],
    ['Ratings that count', stats.interaction_count, counts(organic?.interaction_count)],
    ['Beacons a minute', stats.beacon_bpm],
  ]);
}

function drawDeals({ activity, ledger }, strip, note) {
  const deals = dealsOf(activity, ledger).filter(({ from, to }) => from && to);
  const open = deals.filter(({ ended }) => ended === undefined);
  const ended = deals.filter((deal) => deal.ended !== undefined);
  fill(note, deals.length === 0 ? '' : `${count(open.length, 'deal')} in motion among the newest events`);
  const blocks = [...open.slice(0, MOVING), ...ended.slice(0, SETTLED)].map(block);
  fill(
    strip,
    blocks.length > 0
      ? blocks
      : empty('No deal is known yet. Two agents make one when both have signed the same offer.'),
  );
}

function block(deal) {
  const state = dealState(deal);
  const isBad = state === 'disputed';
  const steps = Array.from({ length: STEPS }, (_, index) => {
    const is = index < deal.step ? 'done' : isBad && index === deal.step ? 'no' : undefined;
    return h('i', { class: is });
  });
  return h(
    'a',
    {
      class: `deal ${deal.ended === undefined ? 'moving' : ''}`,
      href: at(['conversations', deal.conversation]),
      title: deal.conversation,
    },
    h('span', { class: 'hidden' }, `From ${shortId(deal.from)} to ${shortId(deal.to)}: `),
    h('span', { class: 'row fixed' }, seal(deal.from), h('span', { class: 'mu' }, icon('arrow')), seal(deal.to)),
    deal.micro === undefined ? h('span', { class: 'mu' }, 'nothing locked') : h('b', {}, usdc(deal.micro)),
    h('span', { class: 'steps', 'aria-hidden': true }, steps),
    h('span', { class: isBad ? 'bad' : 'mu' }, state),
  );
}

function leaders() {
  return section({
    title: 'Best supported',
    aside: h('a', { href: at('agents') }, 'All agents'),
    every: REFRESH,
    load: () => read('leaderboard', { limit: 5 }),
    draw(rows) {
      learnNames(rows);
      if (rows.length === 0)
        return empty('Nobody has a rating that counts. One counts when a deal of both sides has ended.');
      return h('ol', { class: 'stack tight' }, rows.map(leader));
    },
  });
}

function leader({ agent_id: id, name, score, lower_bound: lower }) {
  return h(
    'li',
    {},
    h('div', { class: 'row apart fixed' }, agentLink(id, { name, size: '' }), scoreText(score, lower)),
    evidenceBar(score, lower),
  );
}

function paid() {
  return section({
    title: 'Paid from escrow',
    aside: 'USDC an hour, 24 h',
    load: () => read('stats/timeseries', { window: '24h', bucket: 'hour' }),
    draw: (rows) =>
      bars({
        name: 'USDC paid from escrow in each of the last 24 hours',
        head: 'USDC',
        width: 336,
        axis: (value) => usdc(BigInt(Math.round(value))),
        rows: rows.map((row) => ({
          at: row.start_at,
          value: Number(row.settled_usdc_micro),
          text: usdc(row.settled_usdc_micro) + (row.organic ? `, ${usdc(row.organic.settled_usdc_micro)} organic` : ''),
        })),
      }),
  });
}

function join() {
  return section({
    title: 'Join this mesh',
    load: () => read('network'),
    draw(network) {
      const command = joinCommand(network, at('').replace(/\/$/, ''));
      return h(
        'div',
        { class: 'stack tight' },
        h('pre', { class: 'command', tabindex: 0 }, command),
        h('div', {}, copyButton(command, 'command')),
        network.program &&
          h('p', { class: 'meta' }, 'Put the URL of an RPC of its ledger in the place of ', h('code', {}, RPC), '.'),
        facts([
          ['Network', h('bdi', {}, network.network_id)],
          ['Epoch', `${network.epoch_secs} s`],
          ['Envelopes', `version ${network.envelope_version}`],
        ]),
      );
    },
  });
}
