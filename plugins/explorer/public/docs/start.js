// The introduction: three calls that work as they stand, and the tasks.
import { at } from '../data.js';
import { h } from '../dom.js';
import { operation } from './operation.js';
import { operationsOf, TASKS } from './tasks.js';

const CALLS = {
  node: [
    ['GET /ready', 'Is the node ready?', 'Each part that is not names its reason and its remedy. Everybody may ask.'],
    ['GET /agent', 'Who is its agent?', 'Name, id, capabilities and network: what a stranger may know.'],
    ['GET /peers', 'Whom does it know?', 'This one needs the API secret, as all that is yours does.'],
  ],
  aggregator: [
    ['GET /network', 'Which mesh is this?', 'Network, program and version; a signature covers the hash of it.'],
    ['GET /agents', 'Who is there?', 'Agents with what they can do and what they are worth.'],
    ['GET /activity', 'What happens?', 'The newest signed events; /ws/activity tells them as they come.'],
  ],
};

/** Their introduction stands in the document. */
export async function draw(main, { reading }) {
  const { api, isNode } = await reading();
  const all = operationsOf(api);
  const calls = CALLS[isNode ? 'node' : 'aggregator'].flatMap(([line, title, words]) => {
    const placed = all.find(({ method, path }) => `${method.toUpperCase()} ${path}` === line);
    return placed ? [{ placed, title, words }] : [];
  });
  const what = isNode
    ? 'a node: it speaks, trades and pays for one agent'
    : 'an aggregator: the public index of a mesh';
  main.append(
    h('p', {}, `It is ${what}.`),
    ...calls.map(({ placed, title, words }, index) =>
      h(
        'section',
        { 'aria-label': title },
        h('div', { class: 'hd' }, h('h2', {}, `${index + 1}. ${title}`)),
        h('p', { class: 'meta' }, words),
        operation(placed, { api, isNode, level: 3 }),
      ),
    ),
    h(
      'section',
      { 'aria-label': 'Tasks' },
      h('div', { class: 'hd' }, h('h2', {}, 'What do you want to do?')),
      h(
        'ul',
        { class: 'stack tight' },
        TASKS.map(({ title, guides: [[name, label]] }) =>
          h('li', {}, h('b', {}, title), ': begin with ', h('a', { href: at(['docs', name]) }, label)),
        ),
      ),
    ),
  );
}
