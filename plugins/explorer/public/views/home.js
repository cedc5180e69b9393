import { bars } from '../chart.js';
import { at, learnNames, read, readNetwork } from '../data.js';
import { byId, fill, h, refill } from '../dom.js';
import { feed } from '../feed.js';
import { figures } from '../figures.js';
import { firstFrame } from '../first.js';
import { amount, count, estimate, shortId, thousands, usdc } from '../format.js';
import { joinCommand, RPC } from '../join.js';
import { agentLink, copyButton, empty, evidenceBar, facts, icon, scoreText, seal } from '../parts.js';
import { section } from '../section.js';
import { dealState, dealsOf } from '../sentences.js';

const STEPS = 4;
const MOVING = 8;
const SETTLED = 16;
const REFRESH = 30_000;

/** The overview: totals, search, who was heard last, deals as they happen, the feed. The document has its search and its first totals. */
export async function draw() {
  document.title = 'The mesh \u00b7 agent-mesh';
  const first = byId('first');
  const [lede, here] = [first.querySelector('.lede'), first.querySelector('.here')];
  const strip = h('div', {
    class: 'strip',
    tabindex: 0,
    role: 'group',
    'aria-label': 'Deals, in motion first, then ended',
  });
  const states = h('span', { class: 'meta' });
  const totals = section({
    load: () => read('stats/network'),
    draw: (stats) => drawTotals(stats, lede, states),
    every: REFRESH,
    lead: true,
  });
  byId('totals').replaceWith(totals);
  await firstFrame;
  const live = feed({
    heard(known) {
      drawDeals(known, strip);
      turn(here, known.activity[0]);
    },
  });
  first.append(
    h(
      'section',
      { 'aria-label': 'Deals' },
      h('div', { class: 'hd' }, h('h2', {}, 'Deals, as they happen'), states),
      strip,
    ),
    h('div', { class: 'cols' }, live, h('div', { class: 'stack loose' }, leaders(), paid(), join())),
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

function drawTotals(stats, lede, states) {
  const { organic, escrows } = stats;
  if (escrows) fill(states, statesText(escrows));
  const paidText = amount(stats.volume_usdc);
  const counts = (value) => organic && `${value} organic`;
  fill(
    lede,
    `${count(stats.agent_count, 'agent')}. ${count(stats.deal_count, 'deal')}, ${paidText} USDC paid from escrow.`,
  );
  return figures([
    ['Agents online', stats.online_count, `of ${stats.agent_count}`],
    ['Deals', stats.deal_count],
    escrows && ['In escrow now', amount(escrows.held_usdc), 'USDC'],
    ['Paid from escrow', paidText, 'USDC'],
    organic && [`Of it organic, score ${organic.version}`, estimate(organic.volume_usdc), 'USDC'],
    ['Ratings that count', stats.interaction_count, counts(organic?.interaction_count)],
  ]);
}

/** How many deals hold money, by their state on the ledger, and how many of those count after clusters and ground. */
function statesText({ ended_count: ended, organic, ...counts }) {
  const state = (name) => {
    const [all, part] = [counts[`${name}_count`], organic?.[`${name}_count`]];
    // They are counted at other moments, so for a moment more of them can be organic than there are.
    return `${thousands(all)} ${name}${all > 0 && organic ? ` (${thousands(Math.min(all, part))} organic)` : ''}`;
  };
  const words = [state('locked'), state('delivered'), counts.disputed_count > 0 && state('disputed')];
  const part =
    counts.held_usdc > 0 && organic ? `. Organic of what they hold: ${estimate(organic.held_usdc)} USDC` : '';
  return `On the ledger: ${words.filter(Boolean).join(', ')}, ${thousands(ended)} ended${part}`;
}

function drawDeals({ activity, ledger }, strip) {
  const deals = dealsOf(activity, ledger).filter(({ from, to }) => from && to);
  const open = deals.filter(({ ended }) => ended === undefined);
  const ended = deals.filter((deal) => deal.ended !== undefined);
  const blocks = [...open.slice(0, MOVING), ...ended.slice(0, SETTLED)].map(block);
  refill(
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
    load: readNetwork,
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
