// Finds the page of the address.
import { readNetwork } from './data.js';
import { byId, fill, h } from './dom.js';
import { firstFrame, showTogether } from './first.js';
import { clean, shortId } from './format.js';
import { frame, prefill, viewOf } from './frame.js';
import { failure } from './section.js';

const VIEWS = [
  [/^$/, 'home'],
  [/^agents$/, 'agents'],
  [/^agents\/([^/]+)$/, 'agent'],
  [/^(?:conversations|escrows)\/([^/]+)$/, 'conversation'],
  [/^owners\/([^/]+)$/, 'owner'],
  [/^analytics$/, 'analytics'],
  [/^bounties$/, 'bounties'],
  [/^campaigns$/, 'campaigns'],
  [/^flows$/, 'flows'],
  [/^hosts$/, 'hosts'],
  [/^ledger$/, 'ledger'],
  [/^receipts$/, 'receipts'],
  [/^search$/, 'search'],
];
const GOES_TO = { h: '', a: 'agents', f: 'flows', l: 'ledger', b: 'bounties' };
const KEYS = [
  ['/', 'search'],
  ['g h', 'the overview'],
  ['g a', 'agents'],
  ['g f', 'flows'],
  ['g l', 'the ledger'],
  ['g b', 'bounties'],
  ['?', 'this list'],
];

const page = viewOf(VIEWS);

frame({ keys: KEYS, goesTo: GOES_TO });
// The document of an address without a page says so itself.
if (page) {
  firstFrame.then(networkTag);
  await show(page);
} else {
  prefill();
  networkTag();
}

async function show({ view, parameter }) {
  try {
    const { draw } = await import(`./views/${view}.js`);
    const query = new URLSearchParams(location.search);
    await showTogether(byId('content'), (main) => draw(main, { id: parameter, query }));
  } catch (error) {
    fill(
      byId('content'),
      h('h1', {}, 'This page cannot be shown'),
      failure({ message: String(error.message), code: 'page' }, () => location.reload()),
    );
    throw error;
  }
}

/** Which mesh this is; nothing where that cannot be read. */
async function networkTag() {
  const network = await readNetwork().catch(() => undefined);
  if (!network) return;
  const tag = byId('network');
  tag.title = `Network ${network.network_id}${network.program ? `, program ${network.program}` : ''}`;
  fill(tag, h('bdi', {}, clean(network.network_id, 24)), network.program && ` \u00b7 ${shortId(network.program)}`);
  tag.hidden = false;
}
