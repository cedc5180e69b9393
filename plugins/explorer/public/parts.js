// The parts that all pages are made of.
import { at, hostOf, nameOf } from './data.js';
import { h, svg } from './dom.js';
import { firstFrame, hasFirst } from './first.js';
import * as format from './format.js';
import { base58, hueOf, sealFrame, smallSeal } from './seal.js';

/**
 * The seal of an agent in a size of the style sheet: tiny, mid, big, huge, or none of them. A decoration: a name or id stands beside it.
 * That of a hosted agent has the seal of its host at its foot, where there is room.
 */
export function seal(id, size = '') {
  const bytes = base58(id);
  if (!bytes) return undefined;
  const body = () => svg('path', { d: pathOf(id, bytes), 'fill-rule': 'evenodd' });
  const classes = `seal ${size} h${hueOf(bytes)}`;
  const host = size === 'tiny' ? undefined : base58(hostOf(id) ?? '');
  if (size !== 'huge')
    return svg(
      'svg',
      { class: classes, viewBox: '0 0 256 256', 'aria-hidden': true },
      body(),
      host && hostSeal(host, 'translate(154 154)'),
    );
  const { ticks, band } = sealFrame(bytes);
  return svg(
    'svg',
    { class: classes, viewBox: '0 0 640 640', 'aria-hidden': true },
    svg('path', { class: 'lines fine', d: band }),
    svg('path', { class: 'lines', d: ticks }),
    svg('g', { transform: 'translate(159 159) scale(1.26)' }, body()),
    host && hostSeal(host, 'translate(384 384) scale(2.5)'),
  );
}

const MOST_PATHS = 500;
const paths = new Map();

/** Drawn once for an agent that stands in many rows. */
function pathOf(id, bytes) {
  const known = paths.get(id);
  if (known) return known;
  if (paths.size >= MOST_PATHS) paths.clear();
  const path = smallSeal(bytes);
  paths.set(id, path);
  return path;
}

/** At two fifths of the size, on the colour of the page. */
function hostSeal(bytes, transform) {
  return svg(
    'g',
    { class: `host h${hueOf(bytes)}`, transform },
    svg('circle', { class: 'paper', cx: 51, cy: 51, r: 58 }),
    svg('path', { d: smallSeal(bytes), 'fill-rule': 'evenodd', transform: 'scale(0.4)' }),
  );
}

/** The name of an agent as it calls itself, linked; its id in full on hover. Without a name, the id, until one is found. */
export function agentLink(id, { name, size = 'tiny', sealed = true } = {}) {
  const said = format.cleanName(name);
  const label = h('bdi', { class: said ? undefined : 'mono' }, said || format.shortId(id));
  if (!said)
    nameOf(id).then((found) => {
      const words = format.cleanName(found);
      if (!words) return;
      label.textContent = words;
      label.className = '';
    });
  return h(
    'a',
    { class: sealed ? 'agent' : 'agent plain', href: at(['agents', id]), title: id },
    sealed && seal(id, size),
    h('b', {}, label),
  );
}

export function walletLink(wallet) {
  return h('a', { class: 'mono', href: at(['owners', wallet]), title: wallet }, format.shortId(wallet));
}

export function conversationLink(id, text = format.shortId(id)) {
  return h('a', { class: 'mono', href: at(['conversations', id]), title: id }, text);
}

/** A sentence of `sentences.js`. */
export function sentence(words) {
  return words.map((word) => {
    if (typeof word === 'string') return word;
    if (word.wallet) return walletLink(word.wallet);
    return agentLink(word.agent, { name: word.name, sealed: false });
  });
}

/** A moment: short, with the whole of it and its zone on hover, and for machines. */
export function time(iso, text) {
  if (!iso) return '\u2013';
  return h('time', { datetime: iso, title: format.fullMoment(iso) }, text ?? format.moment(iso, Date.now()));
}

export function ago(iso) {
  return time(iso, format.age(iso, Date.now()));
}

/** An id whole, in groups of four, with a button that copies it without them. */
export function wholeId(id, what = 'id') {
  return h('span', { class: 'row' }, h('code', { class: 'bytes' }, format.grouped(id)), copyButton(id, what));
}

/** A short id, whole on hover, and a button. */
export function briefId(id, what = 'id') {
  return h('span', { class: 'nowrap' }, h('code', { title: id }, format.shortId(id)), ' ', copyButton(id, what));
}

export function copyButton(text, what) {
  const said = h('span', { class: 'hidden', role: 'status' });
  const label = h('span', {}, 'Copy');
  const button = h(
    'button',
    { class: 'quiet small', type: 'button', 'aria-label': `Copy the ${what}`, onclick: copy },
    label,
  );
  return h('span', {}, button, said);

  async function copy() {
    const done = await copied(text);
    label.textContent = done ? 'Copied' : 'Press Ctrl+C';
    said.textContent = done ? `The ${what} is copied.` : `Copying is not allowed here: select the ${what} by hand.`;
    setTimeout(() => {
      label.textContent = 'Copy';
      said.textContent = '';
    }, 2_000);
  }
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** As `/stats/network` counts those online. */
const ONLINE_MS = 600_000;

export function isOnline({ last_seen: seen }) {
  return Date.now() - Date.parse(seen) < ONLINE_MS;
}

/** Words of a stranger, in quotation marks. */
export function quote(words, most) {
  return h('bdi', {}, `\u201c${format.clean(words, most)}\u201d`);
}

export function capabilityTag(name, current = false) {
  const link = { class: 'tag', href: at('agents', { capability: name }), 'aria-current': current ? 'true' : undefined };
  return h('a', link, h('bdi', { class: 'clip' }, format.clean(name, 40)));
}

/**
 * What the evidence supports of a score. The rank, by which lists stand, counts good words of grounded money in full, so it can be above the
 * score; that supports the score, and no more than it.
 */
export function supported(score, rank) {
  return Math.max(-100, Math.min(score, rank));
}

/** The score with its doubt: a bar, and the same in words beside it. */
export function evidenceBar(score, rank) {
  const known = typeof rank === 'number';
  const low = supported(score, rank);
  const upper = Math.min(100, 2 * score - low);
  const name = known
    ? `Score ${format.decimal(score, 0)}, between ${format.decimal(low, 0)} and ${format.decimal(upper, 0)}`
    : `Score ${format.decimal(score, 0)}`;
  return svg(
    'svg',
    {
      class: `evidence ${score < 0 ? 'low' : ''}`,
      viewBox: '-100 0 200 20',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': name,
    },
    svg('path', { class: 'axis', d: 'M-100 10h200' }),
    known && svg('rect', { class: 'band', x: low, y: 5, width: Math.max(0, upper - low), height: 10 }),
    known && svg('path', { class: 'caps', d: `M${low} 5v10M${upper} 5v10` }),
    svg('path', { class: 'zero', d: 'M0 2v16' }),
    svg('path', { class: 'mark', d: `M${score} 2v16` }),
  );
}

export function scoreText(score, rank) {
  return h(
    'span',
    { class: 'nowrap' },
    format.decimal(score, 0),
    typeof rank === 'number' && h('span', { class: 'mu small' }, ` at least ${format.atLeast(supported(score, rank))}`),
  );
}

const ICONS = {
  lock: 'M5 7V5a3 3 0 0 1 6 0v2M3.500 7h9v6.500h-9z',
  check: 'M3 8.500l3.500 3.500L13 4.500',
  cross: 'M4 4l8 8M12 4l-8 8',
  dash: 'M3 8h10',
  arrow: 'M2 8h11M9 4l4 4-4 4',
  wait: 'M8 4v4l3 2',
};

export function icon(name, label) {
  const named = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true };
  const path = svg('path', { d: ICONS[name] });
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', ...named }, label && svg('title', {}, label), path);
}

/** Pixels of a row at least: of a line, and of a card on a phone. */
const ROW = 40;
const CARD = 110;

/**
 * `table({ name, columns: [{ head, cell, num, is }], rows, foot })`. A `cell` gets a row and gives what stands in it. On phones rows become
 * cards. Of a table among the first facts of a page, rows below the screen come behind their frame.
 */
export function table({ name, columns, rows, foot }) {
  const classOf = ({ num, is }) => [num && 'num', is].filter(Boolean).join(' ') || undefined;
  const drawn = (row) =>
    h(
      'tr',
      {},
      columns.map((one) =>
        h('td', { class: classOf(one), 'data-head': one.head }, h('div', {}, one.cell(row) ?? '\u2013')),
      ),
    );
  const most = hasFirst() ? rows.length : Math.ceil(innerHeight / (innerWidth > 900 ? ROW : CARD));
  const body = h('tbody', {}, rows.slice(0, most).map(drawn));
  if (rows.length > most) firstFrame.then(() => body.append(...rows.slice(most).map(drawn)));
  return h(
    'table',
    { class: 'cards' },
    h('caption', { class: 'hidden' }, name),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        columns.map((one) => h('th', { scope: 'col', class: one.num && 'num' }, one.head)),
      ),
    ),
    body,
    foot,
  );
}

/** Facts in two columns; those without a value are left out. */
export function facts(rows) {
  const known = rows.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');
  return h(
    'dl',
    { class: 'facts' },
    known.map(([name, value]) => h('div', { class: 'pair' }, h('dt', {}, name), h('dd', {}, value))),
  );
}

export function empty(...words) {
  return h('p', { class: 'empty' }, ...words);
}

export function heading(title, aside) {
  return h('div', { class: 'hd' }, h('h2', {}, title), aside && h('span', { class: 'meta' }, aside));
}
