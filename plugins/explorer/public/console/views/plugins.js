import { read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean, count } from '../../format.js';
import { table } from '../../parts.js';
import { section } from '../../section.js';

/** The parts and plugins of the node, with what each may do. */
export async function draw(main) {
  document.title = 'Plugins \u00b7 agent-mesh';
  const list = section({
    load: () => read('plugins'),
    draw: ({ plugins }) => [
      part(
        'Plugins',
        plugins.filter(({ from }) => from !== 'core'),
      ),
      part(
        'Parts of core',
        plugins.filter(({ from }) => from === 'core'),
      ),
    ],
  });
  const about = 'A permission is a safety rail in one process, not a sandbox: install plugins whose authors you trust.';
  fill(main, h('div', { class: 'stack' }, h('h1', {}, 'Plugins'), h('p', { class: 'meta' }, about), list));
  await list.ready;
}

function part(title, rows) {
  return h(
    'section',
    { 'aria-label': title, class: 'sub' },
    h('div', { class: 'hd' }, h('h2', {}, title), h('span', { class: 'meta' }, String(rows.length))),
    table({
      name: title,
      rows,
      columns: [
        {
          head: 'Name',
          is: 'name',
          cell: ({ name, version }) => [h('b', {}, clean(name, 60)), version && ` ${clean(version, 30)}`],
        },
        { head: 'From', cell: ({ from }) => clean(from, 20) },
        {
          head: 'State',
          cell: ({ state, detail }) => [
            h('span', { class: `tag ${state === 'ok' ? 'ok' : 'bad'}` }, clean(state, 20)),
            detail && ` ${clean(detail, 200)}`,
          ],
        },
        {
          head: 'May',
          cell: ({ permissions }) =>
            permissions.length === 0 ? 'nothing more' : permissions.map((one) => clean(one, 60)).join(', '),
        },
        { head: 'Serves', cell: ({ serves }) => (serves.length === 0 ? 'nothing' : served(serves)) },
      ],
    }),
  );
}

function served(lines) {
  return h(
    'details',
    {},
    h('summary', {}, count(lines.length, 'endpoint')),
    h(
      'ul',
      {},
      lines.map((line) => h('li', {}, h('code', { class: 'bytes' }, clean(line, 120)))),
    ),
  );
}
