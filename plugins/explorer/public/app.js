// Finds the page of the address, and runs what all pages have: the search, the theme, the keys.
import { at, read, root } from './data.js';
import { byId, fill, h } from './dom.js';
import { clean, shortId } from './format.js';
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

const path = location.pathname.slice(root.pathname.length);
const [, view, parameter] = VIEWS.map(([pattern, name]) => [
  pattern,
  name,
  pattern.exec(path)?.[1] ?? '',
  pattern.test(path),
]).find(([, , , fits]) => fits) ?? [undefined, 'home', ''];

document.documentElement.classList.add('scripted');
markCurrent();
theme();
keys();
networkTag();
await show();

async function show() {
  const main = byId('content');
  try {
    const { draw } = await import(`./views/${view}.js`);
    await draw(main, { id: decodeURIComponent(parameter), query: new URLSearchParams(location.search) });
  } catch (error) {
    fill(
      main,
      h('h1', {}, 'This page cannot be shown'),
      failure({ message: String(error.message), code: 'page' }, () => location.reload()),
    );
    throw error;
  }
}

function markCurrent() {
  for (const link of document.querySelectorAll('#menu a')) {
    const target = new URL(link.href).pathname;
    if (location.pathname === target || location.pathname.startsWith(`${target}/`))
      link.setAttribute('aria-current', 'page');
  }
  byId('q').value = view === 'search' ? (new URLSearchParams(location.search).get('q') ?? '') : '';
  // The list of pages is a menu on a phone and always open elsewhere; a browser that cannot style that gets it open.
  const wide = matchMedia('(min-width: 901px)');
  const openOrNot = () => byId('menu').toggleAttribute('open', wide.matches);
  wide.addEventListener('change', openOrNot);
  openOrNot();
}

function theme() {
  const button = byId('theme');
  const { dataset } = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const now = () => dataset.theme ?? (system.matches ? 'dark' : 'light');
  const label = () => fill(button, now() === 'dark' ? 'Light' : 'Dark');
  button.hidden = false;
  button.setAttribute('aria-label', 'Light or dark');
  label();
  system.addEventListener('change', label);
  button.addEventListener('click', () => {
    dataset.theme = now() === 'dark' ? 'light' : 'dark';
    keep('mesh-theme', dataset.theme);
    label();
  });
}

function keys() {
  const isOff = () => kept('mesh-keys') === 'off';
  const box = h('input', {
    type: 'checkbox',
    id: 'keys-on',
    onchange: () => keep('mesh-keys', box.checked ? 'on' : 'off'),
  });
  const dialog = h(
    'dialog',
    { 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h(
      'dl',
      { class: 'facts' },
      KEYS.map(([key, does]) =>
        h('div', { class: 'pair' }, h('dt', {}, h('kbd', { class: 'mono' }, key)), h('dd', {}, does)),
      ),
    ),
    h('p', {}, box, ' ', h('label', { for: 'keys-on' }, 'Keys are on')),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')),
  );
  document.body.append(dialog);
  const button = byId('keys');
  button.hidden = false;
  const open = () => {
    box.checked = !isOff();
    dialog.showModal();
  };
  button.addEventListener('click', open);
  let going = 0;
  addEventListener('keydown', (event) => {
    const busy = event.target.closest('input, select, textarea, dialog, [contenteditable]');
    if (busy || isOff() || event.ctrlKey || event.metaKey || event.altKey) return;
    const follows = Date.now() - going < 1_500;
    going = 0;
    if (follows && GOES_TO[event.key] !== undefined) location.assign(at(GOES_TO[event.key]));
    else if (event.key === 'g') going = Date.now();
    else if (event.key === '/') document.querySelector('.find.big input, #q').focus();
    else if (event.key === '?') open();
    else return;
    event.preventDefault();
  });
}

/** Which mesh this is; nothing where that cannot be read. */
async function networkTag() {
  const network = await read('network').catch(() => undefined);
  if (!network) return;
  const tag = byId('network');
  tag.title = `Network ${network.network_id}${network.program ? `, program ${network.program}` : ''}`;
  fill(tag, h('bdi', {}, clean(network.network_id, 24)), network.program && ` \u00b7 ${shortId(network.program)}`);
  tag.hidden = false;
}

function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}
