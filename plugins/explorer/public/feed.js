// The feed: signed events as they come, and what the ledger did, in sentences, newest first.
import { connection } from './connection.js';
import { at, ReadError, read } from './data.js';
import { fill, h, refill } from './dom.js';
import { points, usdc } from './format.js';
import { follow } from './live.js';
import { conversationLink, empty, icon, seal, sentence, time } from './parts.js';
import { failure } from './section.js';
import { activitySentence, inOrder, ledgerSentence } from './sentences.js';

/** On a phone, where the rest of the page comes below. */
const MOST_ROWS = matchMedia('(max-width: 900px)').matches ? 20 : 50;
const SUMMARY_EVERY = 30_000;

const newest = (one, other) => inOrder(other.event, one.event);

/**
 * `feed({ query, heard })`: the element, with `ready`. `heard({ activity, ledger })` is told of everything that is known, at first and after
 * each change. `query` restricts both feeds, to an agent or a conversation.
 */
export function feed({ query = {}, heard = () => {}, title = 'Live' } = {}) {
  const list = h('ol', { class: 'feed', 'aria-live': 'off' });
  const notes = h('div', {});
  const line = h('div', {});
  const summary = h('p', { class: 'hidden', role: 'status' });
  const pause = h(
    'button',
    { class: 'quiet small', type: 'button', 'aria-pressed': 'false', onclick: togglePause },
    'Pause',
  );
  const more = h('button', { type: 'button', hidden: true, onclick: showHeld }, '');
  const element = h(
    'section',
    { id: 'live', 'aria-label': title },
    h('div', { class: 'hd' }, h('h2', {}, title), pause),
    line,
    notes,
    more,
    list,
    summary,
  );
  const known = { activity: [], ledger: [] };
  let rows = [];
  let held = [];
  let paused = false;
  let unsaid = 0;
  let drawn = false;
  let hasLedger = false;
  const states = new Map();
  const wire = connection({
    notes: line,
    cut: (since) => `The live feed is cut since ${since} UTC; the events below are what came before.`,
    dim: () => [list],
  });

  element.ready = start();
  return element;

  async function start() {
    try {
      fill(notes);
      const [activity, ledger] = await Promise.all([read('activity', { ...query, limit: 100 }), ledgerEvents()]);
      known.activity = activity;
      known.ledger = ledger ?? [];
      hasLedger = ledger !== undefined;
      rows = [...activity.map(activityRow), ...known.ledger.map(ledgerRow)].sort(newest).slice(0, MOST_ROWS);
      redraw();
      heard(known);
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      fill(
        notes,
        failure(error, () => void start()),
      );
      return;
    }
    setInterval(say, SUMMARY_EVERY);
    follow(toldOf('activity', activityRow), { since: known.activity[0]?.id ?? 0, query });
    // Without the steps so far there is no last one: those that come are told, and none of before.
    const since = hasLedger ? (known.ledger[0]?.id ?? 0) : undefined;
    follow(toldOf('ledger', ledgerRow), { path: 'ws/ledger', since, query });
  }

  /** Both sockets are one connection in words: it is live when both are, and cut since the first of them was. */
  function toldOf(kind, rowOf) {
    states.set(kind, { state: 'connecting' });
    return (next) => {
      const { event } = next;
      if (event) {
        wire.missed();
        known[kind] = [event, ...known[kind]].slice(0, 200);
        arrived([rowOf(event)]);
        return;
      }
      states.set(kind, next);
      const all = [...states.values()];
      const waiting = all.filter(({ state }) => state === 'waiting');
      const [first] = waiting.sort((one, other) => one.retryAt - other.retryAt);
      if (first) wire.told({ ...first, retry: () => waiting.map(({ retry }) => retry()) });
      else wire.told(all.find(({ state }) => state === 'connecting') ?? next);
    };
  }

  /** Undefined where they cannot be read: the activity is shown without them. */
  async function ledgerEvents() {
    try {
      return await read('ledger/events', { ...query, limit: 100 });
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      if (error.status !== 404)
        fill(
          notes,
          h('p', { class: 'banner' }, 'Steps on the ledger so far cannot be read now; they are missing here.'),
        );
      return undefined;
    }
  }

  function arrived(fresh) {
    unsaid += fresh.length;
    const isAway = list.getBoundingClientRect().top < -40;
    if (paused || isAway) {
      held = [...fresh, ...held].slice(0, MOST_ROWS);
      more.hidden = false;
      fill(more, `${held.length} new`);
    } else take(fresh);
    heard(known);
  }

  /** Many events of one moment are drawn once. */
  function take(fresh) {
    rows = [...fresh.map((row) => ({ ...row, isNew: true })), ...rows].sort(newest).slice(0, MOST_ROWS);
    if (drawn) return;
    drawn = true;
    requestAnimationFrame(() => {
      drawn = false;
      redraw();
    });
  }

  function redraw() {
    refill(
      list,
      rows.length > 0
        ? rows.map(drawRow)
        : h('li', {}, empty('Nothing has happened yet. Events stand here as they come.')),
    );
    for (const row of rows) row.isNew = false;
  }

  function showHeld() {
    more.hidden = true;
    take(held.splice(0));
  }

  function togglePause() {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
    fill(pause, paused ? 'Go on' : 'Pause');
    if (!paused && held.length > 0) showHeld();
  }

  /** Readers hear a sum now and then, and not each row. */
  function say() {
    if (unsaid > 0 && !document.hidden) fill(summary, `${unsaid} new events.`);
    unsaid = 0;
  }
}

function activityRow(event) {
  return { event, key: `a${event.id}`, said: activitySentence(event) };
}

function ledgerRow(event) {
  return { event, key: `l${event.id}`, said: ledgerSentence(event), ledger: true };
}

function drawRow({ event, key, said, ledger, isNew }) {
  const first = said.words.find((word) => word.agent)?.agent;
  return h(
    'li',
    { class: isNew && 'new', 'data-key': key },
    receiptTime(event),
    h('span', { class: 'row fixed what' }, first && seal(first), h('span', { class: 'say' }, sentence(said.words))),
    h(
      'span',
      { class: 'row fixed' },
      valueText(said),
      said.conversation && conversationLink(said.conversation, said.conversation.slice(0, 6)),
      ledger && h('span', { class: 'mu', title: 'On the ledger, finalised' }, icon('lock', 'on the ledger')),
    ),
  );
}

/** When it happened; for what somebody signed, with a way to the receipt, which the browser checks there. */
function receiptTime({ envelope_id: id, agent_id: agent, created_at: when }) {
  if (!id) return time(when);
  return h('a', { href: at('receipts', { agent, id, at: when }), title: 'Check its receipt' }, time(when));
}

function valueText({ value, micro }) {
  if (typeof micro === 'number' || typeof micro === 'string')
    return h('span', { class: 'num', title: 'USDC' }, usdc(micro));
  if (typeof value === 'number')
    return h('span', { class: `num ${value < 0 ? 'bad' : ''}`, title: 'A rating, \u2212100 to 100' }, points(value));
  return value && h('span', { class: 'num mu small' }, value);
}
