// The console of a node: a guest sees who its agent is, and whoever shows the secret sees and does all else.
import { hasSecret, leave, openSession } from './console/session.js';
import { startWire } from './console/wire.js';
import { at, readIfThere } from './data.js';
import { byId, fill, h } from './dom.js';
import { firstFrame, showTogether } from './first.js';
import { cleanName } from './format.js';
import { frame, prefill, viewOf } from './frame.js';
import { failure } from './section.js';

const VIEWS = [
  [/^$/, 'overview'],
  [/^agents\/([^/]+)$/, 'agent'],
  [/^compose$/, 'compose'],
  [/^deals$/, 'deals'],
  [/^deals\/new$/, 'offer'],
  [/^deals\/([^/]+)$/, 'deal'],
  [/^envelopes\/([^/]+)$/, 'envelope'],
  [/^hosted$/, 'hosted'],
  [/^inbox$/, 'inbox'],
  [/^inspect$/, 'inspect'],
  [/^peers$/, 'peers'],
  [/^plugins$/, 'plugins'],
  [/^settings$/, 'settings'],
  [/^stake$/, 'stake'],
  [/^wallet$/, 'wallet'],
];
const GOES_TO = { h: '', d: 'deals', n: 'deals/new', i: 'inbox', w: 'wallet', p: 'peers' };
const KEYS = [
  ['/', 'find by id'],
  ['g h', 'the overview'],
  ['g d', 'deals'],
  ['g n', 'a new deal'],
  ['g i', 'the inbox'],
  ['g w', 'the wallet'],
  ['g p', 'peers'],
  ['?', 'this list'],
];

openSession();
frame({ keys: KEYS, goesTo: GOES_TO });
const page = viewOf(VIEWS);
const introduction = readIfThere('agent');
introduction.then(nameNode, () => {});
await (hasSecret() || !page ? open() : guest());

async function guest() {
  const { draw } = await import('./console/guest.js');
  const main = byId('content');
  await guarded(() => showTogether(main, () => draw(main, { introduction, entered: open })));
}

async function open() {
  // The document of an address without a page says so itself, and needs no secret for that.
  if (!page) prefill();
  if (!hasSecret()) return;
  document.documentElement.dataset.entered = '';
  byId('leave').addEventListener('click', () => {
    leave();
    location.assign(at(''));
  });
  if (!page) return startWire();
  firstFrame.then(startWire);
  await guarded(show);
}

async function show() {
  const { view, parameter } = page;
  const { draw } = await import(`./console/views/${view}.js`);
  const main = byId('content');
  const asked = { id: parameter, query: new URLSearchParams(location.search), introduction };
  await showTogether(main, () => draw(main, asked));
}

async function guarded(work) {
  try {
    await work();
  } catch (error) {
    const main = byId('content');
    const said = failure({ message: String(error.message), code: error.code ?? 'page' }, () => location.reload());
    fill(main, h('h1', {}, 'This page cannot be shown'), said);
    if (error.code === undefined) throw error;
  }
}

function nameNode(found) {
  if (found) byId('node').textContent = cleanName(found.name) || 'agent-mesh';
}
