// The parts around every page: the mark of the current one, the theme, the keys.
import { at, root } from './data.js';
import { byId, fill } from './dom.js';

/** The path of this page below the root, without the slash before it. */
export const path = location.pathname.slice(root.pathname.length);

/** The first of `views`, rows of a pattern and a name, that fits the path: its name and its parameter. Undefined where none fits. */
export function viewOf(views) {
  for (const [pattern, name] of views) {
    const found = pattern.exec(path);
    if (found) return { view: name, parameter: decodeURIComponent(found[1] ?? '') };
  }
  return undefined;
}

/** At an address without a page, the search of its document has the last word of the address: often an id behind a mistyped page. */
export function prefill() {
  const field = document.querySelector('.find.big input');
  if (field) field.value = decodeURIComponent(path).split('/').findLast(Boolean)?.slice(0, 128) ?? '';
}

/** `keys` are rows of a key and its meaning, `goesTo` the pages behind `g`. */
export function frame({ keys, goesTo }) {
  markCurrent();
  theme();
  listKeys(keys, goesTo);
}

function markCurrent() {
  for (const link of document.querySelectorAll('#menu a')) {
    const target = new URL(link.href).pathname;
    if (location.pathname === target || location.pathname.startsWith(`${target}/`))
      link.setAttribute('aria-current', 'page');
  }
  byId('q').value = new URLSearchParams(location.search).get('q') ?? '';
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
  // The document has the first of these; the same again would lay its head out anew.
  const label = () => {
    const other = now() === 'dark' ? 'Light' : 'Dark';
    if (button.textContent !== other) fill(button, other);
  };
  button.setAttribute('aria-label', 'Light or dark');
  label();
  system.addEventListener('change', label);
  button.addEventListener('click', () => {
    dataset.theme = now() === 'dark' ? 'light' : 'dark';
    keep('mesh-theme', dataset.theme);
    label();
  });
}

function listKeys(keys, goesTo) {
  const isOff = () => kept('mesh-keys') === 'off';
  const button = byId('keys');
  const open = async () => {
    const { openKeys } = await import('./keys.js');
    openKeys(keys, { isOn: !isOff(), turn: (isOn) => keep('mesh-keys', isOn ? 'on' : 'off') });
  };
  button.addEventListener('click', open);
  let going = 0;
  addEventListener('keydown', (event) => {
    const busy = event.target.closest('input, select, textarea, dialog, [contenteditable]');
    if (busy || isOff() || event.ctrlKey || event.metaKey || event.altKey) return;
    const follows = Date.now() - going < 1_500;
    going = 0;
    if (follows && goesTo[event.key] !== undefined) location.assign(at(goesTo[event.key]));
    else if (event.key === 'g') going = Date.now();
    else if (event.key === '/') document.querySelector('.find.big input, #q').focus();
    else if (event.key === '?') open();
    else return;
    event.preventDefault();
  });
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
