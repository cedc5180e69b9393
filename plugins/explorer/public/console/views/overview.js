import { at, call, read, readIfThere } from '../../data.js';
import { fill, h } from '../../dom.js';
import { figures } from '../../figures.js';
import { amount, clean, count, usdc } from '../../format.js';
import { empty, icon, seal } from '../../parts.js';
import { sharedAtFirst } from '../../section.js';
import { capabilityTags, networkFacts } from '../about.js';
import { timerOf, waitsFor, workOf } from '../deal-words.js';
import { liveSection } from '../wire.js';

const EVERY = 30_000;
const LIMIT = 100;
const MOST_WAITING = 10;

/** How the node is, and what waits for its operator. */
export async function draw(main, { introduction }) {
  document.title = 'Overview \u00b7 agent-mesh';
  const title = h('h1', {}, 'Overview');
  const state = { ready: undefined, waiting: undefined };
  const tellTitle = () => fill(title, sentenceOf(state));
  const deals = sharedAtFirst(() => read('deals', { limit: LIMIT }), 2);
  const totals = liveSection(['deal', 'lease'], { lead: true, load: () => loadTotals(deals()), draw: drawTotals });
  const waiting = liveSection(['deal'], {
    title: 'Waits for you',
    aside: [
      h('a', { href: at('deals') }, 'All deals'),
      ' ',
      h('a', { class: 'button', href: at(['deals', 'new']) }, 'New deal'),
    ],
    load: deals,
    draw(page) {
      const found = page.deals.map((deal) => ({ deal, words: waitsFor(deal) })).filter(({ words }) => words);
      state.waiting = found.length;
      tellTitle();
      return drawWaiting(found);
    },
  });
  const reasons = liveSection(['peer'], {
    title: 'Reasons and remedies',
    every: EVERY,
    load: loadReady,
    draw(found, { aside }) {
      state.ready = found.status;
      tellTitle();
      const parts = partsOf(found);
      const well = parts.filter(([, { state: one }]) => one === 'ok').length;
      aside(`${well} of ${count(parts.length, 'part')} ok`);
      return drawReasons(
        parts.filter(([, { state: one }]) => one !== 'ok'),
        found,
      );
    },
  });
  const agent = await introduction;
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h(
        'div',
        { class: 'row' },
        seal(agent.agent_id, 'big'),
        h('div', { class: 'grow stack tight' }, title, capabilityTags(agent.capabilities)),
      ),
      totals,
      waiting,
      h('div', { class: 'two' }, reasons, networkFacts(agent.network)),
    ),
  );
  await Promise.all([totals.ready, waiting.ready, reasons.ready]);
}

function sentenceOf({ ready, waiting }) {
  const how = { ok: 'Ready.', degraded: 'Ready, with trouble.', unavailable: 'Not ready.' }[ready] ?? '';
  if (waiting === undefined) return how || 'Overview';
  if (waiting === 0) return `${how} Nothing waits for you.`;
  return `${how} ${waiting === 1 ? 'One deal waits' : `${waiting} deals wait`} for you.`;
}

/** A node that cannot serve answers 503 with the same facts. */
function loadReady() {
  return call('GET', 'ready', { statuses: [503] });
}

function partsOf({ plugins, services }) {
  return [...Object.entries(services), ...Object.entries(plugins)];
}

function drawReasons(ill, { version, phase }) {
  return h(
    'div',
    { class: 'stack tight' },
    ill.length === 0 && h('p', { class: 'row' }, h('span', { class: 'ok' }, icon('check')), 'Every part is well.'),
    h(
      'ul',
      { class: 'checks' },
      ill.map(([name, { detail, remedy, state }]) =>
        h(
          'li',
          {},
          h('span', { class: 'bad' }, icon('cross')),
          h(
            'div',
            {},
            h('p', {}, h('b', {}, clean(name, 60)), `: ${clean(detail ?? state, 300)}`),
            remedy && h('p', { class: 'meta' }, clean(remedy, 400)),
          ),
        ),
      ),
    ),
    h('p', { class: 'meta' }, `Version ${clean(version, 40)}, ${clean(phase, 20)}.`),
  );
}

async function loadTotals(reading) {
  const [{ deals }, balances, caps] = await Promise.all([
    reading,
    withoutLedger('portfolio/balances'),
    withoutLedger('portfolio/caps'),
  ]);
  return { deals, balances, caps };
}

/** Nothing on a node without a ledger. */
export async function withoutLedger(path, query) {
  try {
    return await readIfThere(path, query);
  } catch (error) {
    if (error.code === 'ledger_unavailable' || error.code === 'ledger_program_missing') return undefined;
    throw error;
  }
}

function drawTotals({ deals, balances, caps }) {
  const dollars = balances?.tokens.find(({ symbol }) => symbol === 'USDC');
  const locked = deals.filter(
    ({ role, escrow }) => role === 'requester' && escrow.locked_at !== undefined && escrow.outcome === undefined,
  );
  const sum = locked.reduce((all, { amount_usdc_micro: one }) => all + BigInt(one), 0n);
  return figures([
    ['In the wallet', balances ? amount(dollars?.amount ?? 0) : 'no ledger', balances && 'USDC'],
    ['Locked in escrow', usdc(sum), 'USDC'],
    ['Spent in 24 hours', caps ? amount(caps.day.used_usdc) : '\u2013', caps && `of ${amount(caps.day.limit_usdc)}`],
    ['Deals that go on', deals.filter(({ next_timer: timer }) => timer !== null).length],
  ]);
}

function drawWaiting(found) {
  if (found.length === 0) return empty('Nothing. Deals appear here when a step of yours is due.');
  return h(
    'ul',
    { class: 'waiting' },
    found
      .slice(0, MOST_WAITING)
      .map(({ deal, words }) =>
        h(
          'li',
          { class: 'row' },
          seal(deal.counterparty, 'mid'),
          h('div', { class: 'grow' }, h('p', {}, words), h('p', { class: 'meta' }, workOf(deal), ' ', timerOf(deal))),
          h('b', { class: 'price' }, usdc(deal.amount_usdc_micro)),
          h('a', { class: 'button', href: at(['deals', deal.conversation_id]) }, 'Open'),
        ),
      ),
  );
}
