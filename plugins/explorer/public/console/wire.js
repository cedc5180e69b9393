// Follows the node's events: sections that an event concerns are read again, and a cut connection is told and heals.
import { connection } from '../connection.js';
import { byId, h } from '../dom.js';
import { follow } from '../live.js';
import { section } from '../section.js';
import { protocols } from './session.js';

/** Events of one moment have a section read once. */
const GATHER = 200;

const listeners = new Set();
let isLive = false;
const notes = h('div', { role: 'status' });

/** Calls `heard` after events of these types, and after each time that events may have been missed. */
export function onEvents(types, heard) {
  let due = false;
  let running = false;
  let again = false;
  async function run() {
    due = false;
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await heard();
    } while (again);
    running = false;
  }
  function wake() {
    if (due) return;
    due = true;
    setTimeout(run, GATHER);
  }
  listeners.add({ types, wake });
  // The first facts of the section were asked for when the page began, and nobody heard the events since then.
  if (isLive) wake();
}

let pressed = false;
const press = (is) => () => {
  pressed = is;
};
addEventListener('pointerdown', press(true), true);
addEventListener('pointerup', press(false), true);
addEventListener('pointercancel', press(false), true);

/** A button that is drawn anew between press and release would lose its click. */
async function released() {
  while (pressed) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** A section that is read again when an event of these types comes. */
export function liveSection(types, options) {
  const load = async () => {
    const found = await options.load();
    await released();
    return found;
  };
  const element = section({ ...options, load, steady: true });
  onEvents(types, element.refresh);
  return element;
}

/** Opens the one socket of the page. */
export function startWire() {
  byId('content').before(notes);
  follow(told, { path: 'ws/events', idOf: null, protocols });
}

const wire = connection({
  notes,
  cut: (since) => `The connection to the node is cut since ${since} UTC; the page shows what came before.`,
  healed: 'All that is shown was read again.',
  dim: () => [byId('content')],
});

function told(next) {
  const { state, event } = next;
  if (event) {
    for (const { types, wake } of listeners) if (types.includes(event.type)) wake();
    return;
  }
  isLive = state === 'live';
  // Facts that were asked for before the socket was open may be old. One that never opens leaves the page to ask at each try.
  if (wire.isCut() ? state !== 'connecting' : isLive) wakeAll();
  wire.told(next);
}

function wakeAll() {
  for (const { wake } of listeners) wake();
}
