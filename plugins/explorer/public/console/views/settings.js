import { read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean } from '../../format.js';
import { empty, table } from '../../parts.js';
import { section } from '../../section.js';

/** The settings of the start, and where each is from. Secrets do not leave the node. */
export async function draw(main) {
  document.title = 'Settings \u00b7 agent-mesh';
  const words = h('input', { id: 'words', type: 'search', autocomplete: 'off', oninput: () => redraw() });
  const unset = h('input', { id: 'unset', type: 'checkbox', onchange: () => redraw() });
  const place = h('div', {});
  let settings = [];
  const list = section({
    load: () => read('settings'),
    draw(found) {
      settings = found.settings;
      redraw();
      const from = found.file
        ? ['They stand in ', h('code', { class: 'bytes' }, clean(found.file, 300)), '.']
        : 'No file was read.';
      return [h('p', { class: 'meta' }, from, ' They change there; a restart takes them over.'), place];
    },
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'Settings'),
      h(
        'div',
        { class: 'row' },
        h('label', { for: 'words' }, 'Filter'),
        words,
        unset,
        h('label', { for: 'unset' }, 'Also those that nobody has set'),
      ),
      list,
    ),
  );
  await list.ready;

  function redraw() {
    const asked = words.value.trim().toLowerCase();
    const rows = settings.filter(
      ({ key, value }) => (unset.checked || value !== null) && key.toLowerCase().includes(asked),
    );
    fill(place, rows.length === 0 ? empty('No setting has such a name.') : drawn(rows));
  }
}

function drawn(rows) {
  return table({
    name: 'Settings',
    rows,
    columns: [
      { head: 'Setting', is: 'name', cell: ({ key }) => h('code', { class: 'bytes' }, clean(key, 120)) },
      { head: 'Value', cell: ({ value }) => shownValue(value) },
      { head: 'From', cell: ({ source }) => h('span', { class: 'meta' }, clean(source, 200)) },
    ],
  });
}

function shownValue(value) {
  if (value === null) return h('span', { class: 'mu' }, 'not set');
  if (value === '(hidden)') return h('span', { class: 'tag' }, 'hidden');
  return h('code', { class: 'bytes' }, clean(typeof value === 'string' ? value : JSON.stringify(value), 300));
}
