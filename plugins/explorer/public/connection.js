// A live connection in words: the mark in the head of the page, and a banner over what stands still while it is cut.
import { byId, fill, h } from './dom.js';
import { count, duration } from './format.js';

const TICK = 1_000;
/** Milliseconds without a connection after which a page calls itself offline. */
const OFFLINE = 60_000;
/** Milliseconds after a connection is back in which events are those that were missed. */
const CATCH_UP = 2_000;

/**
 * `connection({ notes, cut, healed, dim })`: `cut(since)` says what stands still, `healed` the sentence once it is back; the elements of
 * `dim()` are grey meanwhile. Gives `{ told, missed, isCut }`: `told` hears the states of `follow`, `missed` each event that came.
 */
export function connection({ notes, cut, healed = '', dim = () => [] }) {
  let cutAt;
  let retryAt;
  let retry;
  let clock;
  let banner;
  let back;
  /** Events of a feed that is back while another one is not. */
  let early = 0;

  return { told, missed, isCut: () => cutAt !== undefined };

  function told(next) {
    if (next.state === 'live') {
      if (cutAt !== undefined) heal();
      else mark('live', 'ok');
      return;
    }
    if (next.state === 'waiting') {
      cutAt ??= Date.now();
      ({ retryAt, retry } = next);
    } else retryAt = undefined;
    if (cutAt === undefined) return;
    clock ??= setInterval(draw, TICK);
    draw();
  }

  function heal() {
    clearInterval(clock);
    [clock, cutAt, banner] = [];
    for (const one of dim()) one.classList.remove('stale');
    mark('live', 'ok');
    back = { until: Date.now() + CATCH_UP, events: early, text: document.createTextNode('') };
    early = 0;
    sum();
    fill(notes, h('p', { class: 'banner ok' }, h('span', {}, `Live again.${healed && ` ${healed}`}`, back.text)));
  }

  function missed() {
    if (cutAt !== undefined) early += 1;
    else if (back && Date.now() <= back.until) {
      back.events += 1;
      sum();
    }
  }

  function sum() {
    if (back.events > 0) back.text.data = ` ${count(back.events, 'event')} caught up.`;
  }

  function draw() {
    const now = Date.now();
    const isOffline = navigator.onLine === false || now - cutAt >= OFFLINE;
    mark(isOffline ? 'offline' : `${duration(now - cutAt)} ago`, 'act');
    for (const one of dim()) one.classList.add('stale');
    if (!banner) {
      const next = h('span', { 'aria-hidden': true });
      const words = h('span', {}, `${cut(new Date(cutAt).toISOString().slice(11, 19))} `, next);
      banner = { next, now: h('button', { type: 'button', onclick: () => retry() }, 'Try now') };
      fill(notes, h('p', { class: 'banner' }, words, banner.now));
    }
    const seconds = Math.max(1, Math.ceil((retryAt - now) / 1_000));
    banner.next.textContent = retryAt === undefined ? 'Trying.' : `Next try in ${seconds} s.`;
  }
}

/** A reader hears that the page is live and that it is not, and no count of seconds. */
function mark(word, look) {
  const pill = byId('pill');
  const isNew = pill.hidden || pill.dataset.look !== look;
  if (isNew) {
    pill.hidden = false;
    pill.className = `tag ${look}`;
    pill.dataset.look = look;
    fill(
      pill,
      h('span', { class: look === 'ok' ? 'dot' : 'dot off' }),
      h('span', { class: 'hidden' }, look === 'ok' ? '' : 'not live, '),
      h('span', { 'aria-hidden': look !== 'ok' && 'true' }),
    );
  }
  if (pill.dataset.word !== word) pill.lastChild.textContent = word;
  pill.dataset.word = word;
}
