// The documentation: first calls, guides and routes by task, and a search over both.
import { openSession } from './console/session.js';
import { at, read } from './data.js';
import { otherTags, TASKS } from './docs/tasks.js';
import { byId, fill, h } from './dom.js';
import { firstFrame, showTogether } from './first.js';
import { frame, path } from './frame.js';
import { failure } from './section.js';

const GOES_TO = { h: '', d: 'docs', a: 'docs/agents', o: 'docs/operate' };
const KEYS = [
  ['/', 'search'],
  ['g h', 'the pages of this process'],
  ['g d', 'the first calls'],
  ['g a', 'the guide for agents'],
  ['g o', 'the guide for operators'],
  ['?', 'this list'],
];

/** A small part of the API document, for a guide, which needs no more than the names of all. */
const OWN_GROUP = 'explorer';

let description;

frame({ keys: KEYS, goesTo: GOES_TO });
markHere();
await show();

/** Each page has one link of its own in the menu; those below `docs` would all mark `docs`. */
function markHere() {
  for (const link of document.querySelectorAll('#menu a')) {
    if (new URL(link.href).pathname !== location.pathname) link.removeAttribute('aria-current');
  }
}

async function show() {
  const main = byId('content');
  const name = decodeURIComponent(/^docs\/([^/]+)$/.exec(path)?.[1] ?? '');
  const query = new URLSearchParams(location.search).get('q')?.trim();
  const view = name.startsWith('api-') ? 'api' : name ? 'guide' : query ? 'find' : 'start';
  // The document of the first calls has their introduction.
  const written = view === 'start' ? main.querySelector('.docs') : undefined;
  const list = written?.firstElementChild ?? h('details', {}, h('summary', {}, 'All pages'));
  const body = written?.lastElementChild ?? h('div', { class: 'grow' });
  if (!written) fill(main);
  try {
    const { draw } = await import(`./docs/${view}.js`);
    await showTogether(main, () => {
      if (!written) fill(main, h('div', { class: 'docs' }, list, body));
      return draw(body, { name, query, reading });
    });
    showPart();
    addEventListener('hashchange', showPart);
    await firstFrame;
    listPages(list, (await reading(OWN_GROUP)).api);
  } catch (error) {
    const said = failure({ message: String(error.message), code: error.code ?? 'page' }, () => location.reload());
    fill(main, h('h1', {}, 'This page cannot be shown'), said);
    if (error.code === undefined) throw error;
  }
}

/** The API document of this process, or its part of one group: read once, as the first that needs it asks. Each part names all groups. */
function reading(tag) {
  description ??= read('openapi.json', { tag }).then((api) => {
    // A node asks for its secret, an aggregator for tokens that a browser cannot make.
    const isNode = /node$/.test(api.info.title);
    if (isNode) openSession();
    return { api, isNode };
  });
  return description;
}

/** What the address names behind `#` is drawn only now. */
function showPart() {
  const part = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
  if (!part) return;
  if (part.matches('details')) part.open = true;
  part.scrollIntoView();
}

/** The list of all pages by task; on a phone it is closed until it is asked for. */
function listPages(list, { tags }) {
  const known = new Map(tags.map(({ name }) => [name, name]));
  const others = otherTags(tags).map(({ name }) => name);
  const groups = [...TASKS, { title: 'More of this process', guides: [], tags: others }];
  list.append(
    h(
      'nav',
      { 'aria-label': 'Pages by task' },
      groups.map(({ title, guides, tags: own }) => {
        const served = own.filter((name) => known.has(name));
        if (guides.length + served.length === 0) return undefined;
        return [
          h('p', { class: 'task' }, title),
          guides.map(([name, label]) => link(name, label)),
          served.map((name) => link(`api-${name}`, `API: ${name}`)),
        ];
      }),
    ),
  );
  const wide = matchMedia('(min-width: 901px)');
  const openOrNot = () => list.toggleAttribute('open', wide.matches);
  wide.addEventListener('change', openOrNot);
  openOrNot();
}

function link(name, label) {
  const href = at(['docs', name]);
  return h('a', { href, 'aria-current': new URL(href).pathname === location.pathname ? 'page' : undefined }, label);
}
