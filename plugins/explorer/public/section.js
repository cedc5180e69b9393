// Parts of a page that read something, and say so in words.
import { ReadError } from './data.js';
import { fill, h, refill } from './dom.js';
import { firstRead } from './first.js';
import * as format from './format.js';
import { time } from './parts.js';

const HASTE = 200;

/**
 * A part of a page that reads something: `load` gives it, `draw` turns it into elements. It says in words that it waits, that there is
 * an error and the way out, and how old its facts are when they could not be read again. With `every`, it is read again after so many ms.
 * A `steady` one is drawn again only when its facts are others, so that nothing moves under a pointer for no reason. One that is
 * in the `lead` has the first facts of its page.
 */
export function section({ title, aside, load, draw, every, missing, steady, lead }) {
  const body = h('div', {});
  const note = h('div', { role: 'status' });
  const side = h('span', { class: 'meta' }, aside);
  const element = h(
    title ? 'section' : 'div',
    { 'aria-label': title },
    title && h('div', { class: 'hd' }, h('h2', {}, title), side),
    note,
    body,
  );
  let readAt;
  let drawn;
  let timer;

  const first = firstRead(lead);

  async function refresh() {
    clearTimeout(timer);
    const slow = setTimeout(() => readAt === undefined && fill(body, skeleton()), HASTE);
    try {
      const found = await load();
      await first.turn();
      clearTimeout(slow);
      show(found);
    } catch (error) {
      clearTimeout(slow);
      if (!(error instanceof ReadError)) throw error;
      if (readAt === undefined) fill(body, error.status === 404 && missing ? missing(error) : failure(error, refresh));
      else old(error);
      first.drawn();
    }
    again();
  }

  function again() {
    if (every && !document.hidden) timer = setTimeout(refresh, every);
  }

  function show(found) {
    const facts = steady && JSON.stringify(found);
    if (!steady || readAt === undefined || facts !== drawn)
      refill(body, draw(found, { aside: (...words) => fill(side, ...words), refresh }));
    drawn = facts;
    readAt = Date.now();
    first.drawn();
    body.classList.remove('stale');
    fill(note);
  }

  /** The shown content stays, with its age. */
  function old(error) {
    body.classList.add('stale');
    const since = new Date(readAt).toISOString();
    const words = [
      'These facts are of ',
      time(since, format.fullMoment(since)),
      `, ${format.age(since, Date.now())}: ${error.message}`,
    ];
    fill(
      note,
      h(
        'p',
        { class: 'banner' },
        h('span', {}, words),
        h('button', { type: 'button', onclick: refresh }, 'Read again'),
      ),
    );
  }

  if (every) document.addEventListener('visibilitychange', () => !document.hidden && refresh());
  element.ready = refresh();
  element.refresh = refresh;
  return element;
}

/** A read that so many sections begin with: it is made once for their first facts, and by each for later ones. */
export function sharedAtFirst(load, sections) {
  const first = load();
  // Each section tells the fault.
  first.catch(() => {});
  let left = sections;
  return () => {
    left -= 1;
    return left >= 0 ? first : load();
  };
}

/** An error with its code, the fault and the way out. */
export function failure(error, again) {
  const retry = h('button', { type: 'button', onclick: again }, 'Try again');
  return h(
    'div',
    { class: 'banner bad', role: 'alert' },
    h('span', {}, `${format.clean(error.message, 300)} `, h('code', {}, format.clean(error.code, 40))),
    again && retry,
  );
}

function skeleton() {
  return h(
    'div',
    {},
    h('p', { class: 'hidden' }, 'Loading \u2026'),
    [80, 60, 70].map(() => h('div', { class: 'skeleton' })),
  );
}
