// The search over routes with their fields, and over guides with their text.
import { at, read } from '../data.js';
import { fill, h } from '../dom.js';
import { firstFrame } from '../first.js';
import { clean } from '../format.js';
import { empty } from '../parts.js';
import { section } from '../section.js';
import { fieldsIn } from './fields.js';
import { slug } from './markdown.js';
import { lineOf } from './operation.js';
import { prose } from './shape.js';
import { operationsOf, TASKS } from './tasks.js';

const MOST = 40;
const MOST_FIELDS = 4;

export async function draw(main, { reading, query }) {
  document.title = `${clean(query, 40)} \u00b7 agent-mesh`;
  const words = query.toLowerCase().split(/\s+/);
  const guides = section({
    lead: true,
    load: async () => ({ titles: titlesWith(words), ...(await read('guide-sections', { q: query.slice(0, 128) })) }),
    draw: drawnGuides,
  });
  const heading = h('h1', {}, 'For \u201c', h('bdi', {}, clean(query, 60)), '\u201d');
  const stack = h('div', { class: 'stack' }, heading, group('Guides', guides));
  fill(main, stack);
  // Routes that stood there already would move below a pointer when the guides arrive.
  await guides.ready;
  await firstFrame;
  const routes = routesWith(words, (await reading()).api);
  stack.append(
    group(
      'Routes',
      routes.length === 0
        ? empty('No route has these words. ', h('a', { href: at('docs') }, 'Begin with the first calls'), '.')
        : list(routes.slice(0, MOST).map(route)),
      routes.length > MOST && h('p', { class: 'meta' }, `${routes.length - MOST} more routes: add a word.`),
    ),
  );
}

/** A word in the line of a route or its summary says more than one in a field. */
function routesWith(words, api) {
  const fieldsOf = fieldsIn(api.components.schemas);
  return operationsOf(api)
    .flatMap((placed) => {
      const { method, path, operation } = placed;
      const { operationId, summary = '', tags } = operation;
      const line = [method, path, operationId, summary, ...tags].join(' ').toLowerCase();
      const further = words.filter((word) => !line.includes(word));
      if (further.length === 0) return [{ placed, fields: [] }];
      const fields = fieldsOf(operation).map((field) => ({
        ...field,
        text: `${field.name} ${field.words}`.toLowerCase(),
      }));
      if (!further.every((word) => fields.some(({ text }) => text.includes(word)))) return [];
      const having = fields.filter(({ text }) => further.some((word) => text.includes(word)));
      return [{ placed, fields: [...new Set(having.map(({ name }) => name))] }];
    })
    .sort((one, other) => Number(one.fields.length > 0) - Number(other.fields.length > 0));
}

function titlesWith(words) {
  return TASKS.flatMap(({ title, guides }) =>
    guides.filter(([name, label]) => {
      const text = `${name} ${label} ${title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    }),
  );
}

function drawnGuides({ titles, sections, found }) {
  if (titles.length + sections.length === 0)
    return empty('No guide has these words. Fewer, or the beginning of one, find more.');
  return [
    list([
      ...titles.map(([name, label]) => h('li', {}, h('a', { href: at(['docs', name]) }, label))),
      ...sections.map(part),
    ]),
    found > sections.length &&
      h('p', { class: 'meta' }, `${found - sections.length} more parts of guides: add a word.`),
  ];
}

function part({ guide, title, heading, excerpt }) {
  const href = `${at(['docs', guide])}#${encodeURIComponent(slug(heading))}`;
  const name = heading === title ? title : `${title}: ${heading}`;
  return h('li', {}, h('a', { href }, clean(name, 140)), h('div', { class: 'meta' }, clean(excerpt, 240)));
}

function route({ placed, fields }) {
  const { operationId, summary, tags } = placed.operation;
  const href = `${at(['docs', `api-${tags[0]}`])}#${encodeURIComponent(operationId)}`;
  const shown = fields.slice(0, MOST_FIELDS).flatMap((name, index) => [index > 0 && ', ', h('code', {}, name)]);
  return h(
    'li',
    {},
    h('a', { href }, lineOf(placed)),
    ' ',
    h(
      'span',
      { class: 'meta' },
      prose(summary),
      fields.length > 0 && [' Fields: ', shown, fields.length > MOST_FIELDS && ' \u2026'],
    ),
  );
}

function list(rows) {
  return h('ul', { class: 'stack tight' }, rows);
}

function group(title, ...content) {
  return h('section', { 'aria-label': title }, h('div', { class: 'hd' }, h('h2', {}, title)), content);
}
