// The search over routes and guides.
import { at } from '../data.js';
import { fill, h } from '../dom.js';
import { clean } from '../format.js';
import { empty } from '../parts.js';
import { lineOf } from './operation.js';
import { prose } from './shape.js';
import { operationsOf, TASKS } from './tasks.js';

const MOST = 40;

export async function draw(main, { api, query }) {
  document.title = `${clean(query, 40)} \u00b7 agent-mesh`;
  const words = query.toLowerCase().split(/\s+/);
  const fits = (...texts) => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const guides = TASKS.flatMap(({ title, guides: own }) => own.filter(([name, label]) => fits(name, label, title)));
  const routes = operationsOf(api).filter(({ method, path, operation: { operationId, summary, tags } }) =>
    fits(method, path, operationId, summary ?? '', tags.join(' ')),
  );
  const none = guides.length + routes.length === 0;
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'For \u201c', h('bdi', {}, clean(query, 60)), '\u201d'),
      none &&
        empty(
          'No route and no guide has these words. ',
          h('a', { href: at('docs') }, 'Begin with the first calls'),
          '.',
        ),
      guides.length > 0 &&
        group(
          'Guides',
          guides.map(([name, label]) => h('li', {}, h('a', { href: at(['docs', name]) }, label))),
        ),
      routes.length > 0 && group('Routes', routes.slice(0, MOST).map(route)),
      routes.length > MOST && h('p', { class: 'meta' }, `${routes.length - MOST} more routes: add a word.`),
    ),
  );
}

function route(placed) {
  const { operationId, summary, tags } = placed.operation;
  const href = `${at(['docs', `api-${tags[0]}`])}#${encodeURIComponent(operationId)}`;
  return h('li', {}, h('a', { href }, lineOf(placed)), ' ', h('span', { class: 'meta' }, prose(summary)));
}

function group(title, rows) {
  return h(
    'section',
    { 'aria-label': title },
    h('div', { class: 'hd' }, h('h2', {}, title)),
    h('ul', { class: 'stack tight' }, rows),
  );
}
