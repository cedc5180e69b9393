// The routes of one group of the API.
import { at } from '../data.js';
import { fill, h } from '../dom.js';
import { clean } from '../format.js';
import { operation } from './operation.js';
import { prose } from './shape.js';
import { operationsOf } from './tasks.js';

/** Letters that the API takes. */
const MOST_TAG = 64;

export async function draw(main, { reading, name }) {
  const tag = name.slice('api-'.length);
  const { api, isNode } = await reading(tag.slice(0, MOST_TAG));
  const group = api.tags.find((one) => one.name === tag);
  document.title = `API: ${clean(tag, 40)} \u00b7 agent-mesh`;
  if (!group) {
    fill(
      main,
      h('h1', {}, 'This process serves no such group'),
      h(
        'p',
        {},
        h('code', {}, clean(tag, 80)),
        '. ',
        h('a', { href: at('docs', { q: clean(tag, 80) }) }, 'Search for it'),
      ),
    );
    return;
  }
  const placed = operationsOf(api, tag);
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('div', { class: 'stack tight' }, h('h1', {}, h('code', {}, tag)), h('p', {}, prose(group.description))),
      h(
        'div',
        {},
        placed.map((one) => operation(one, { api, isNode, level: 2, isOpen: placed.length === 1 })),
      ),
    ),
  );
}
