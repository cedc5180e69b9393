import { call, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean } from '../../format.js';
import { empty, table } from '../../parts.js';
import { section } from '../../section.js';
import { panelPlace } from '../panel.js';
import { fieldFor, valueIn } from '../setting-field.js';

/** The settings that are in force, where each is from, and those that can be changed here. Secrets do not leave the node. */
export async function draw(main) {
  document.title = 'Settings \u00b7 agent-mesh';
  const words = h('input', { id: 'words', type: 'search', autocomplete: 'off', oninput: () => redraw() });
  const open = h('input', { id: 'open', type: 'checkbox', onchange: () => redraw() });
  const unset = h('input', { id: 'unset', type: 'checkbox', onchange: () => redraw() });
  const panels = panelPlace();
  const place = h('div', {});
  let settings = [];
  const list = section({
    load: () => read('settings'),
    draw(found) {
      settings = found.settings;
      redraw();
      return [h('p', { class: 'meta' }, sources(found)), waiting(settings), place];
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
        open,
        h('label', { for: 'open' }, 'Only those that can be changed here'),
        unset,
        h('label', { for: 'unset' }, 'Also those that nobody has set'),
      ),
      panels,
      list,
    ),
  );
  await list.ready;

  function redraw() {
    const asked = words.value.trim().toLowerCase();
    const rows = settings.filter(
      ({ key, value, change, about = '' }) =>
        (unset.checked || value !== null || (open.checked && change)) &&
        (!open.checked || change) &&
        `${key} ${about}`.toLowerCase().includes(asked),
    );
    const change = (row) => panels.open(changeOf(row, list.refresh));
    const back = (row) => panels.open(returnOf(row, list.refresh));
    fill(place, rows.length === 0 ? empty('No setting has such words.') : drawn(rows, change, back));
  }
}

function sources({ file, kept }) {
  const code = (path) => h('code', { class: 'bytes' }, clean(path, 300));
  return [
    ...(file ? ['They stand in ', code(file), '. '] : ['No file was read. ']),
    'Changes that are made here stand in ',
    code(kept),
    '; they win over the file, and lose to flags and variables.',
  ];
}

function waiting(settings) {
  const names = settings.filter((row) => row.after_restart !== undefined).map(({ key }) => key);
  if (names.length === 0) return undefined;
  const words = `${names.length === 1 ? 'One change waits' : `${names.length} changes wait`} for a restart of the node: ${names.join(', ')}.`;
  return h('p', { class: 'banner' }, h('span', {}, words));
}

/** The panel that changes one setting. */
function changeOf({ key, value, about, change, shape, after_restart: next }, refresh) {
  return {
    title: `Change ${key}`,
    words: [about, change === 'now' ? 'It holds at once.' : 'It holds after a restart of the node.'],
    fields: [fieldFor(shape, next ?? value)],
    verb: 'Change it',
    busy: 'Changing',
    run: async (values) => {
      await put(key, valueIn(shape, values.value));
      await refresh();
    },
    done: change === 'now' ? `${key} is changed.` : `${key} is kept. It holds after a restart.`,
  };
}

/** The panel that takes a change back. */
function returnOf({ key, change }, refresh) {
  return {
    title: `Take the change of ${key} back`,
    words: [`The value of the file, or the usual one, holds ${change === 'now' ? 'at once' : 'after a restart'}.`],
    verb: 'Take it back',
    busy: 'Taking it back',
    run: async () => {
      await put(key, null);
      await refresh();
    },
    done: `The change of ${key} is taken back.`,
  };
}

/** A fault of the setting belongs to the one field of the panel. */
async function put(key, value) {
  try {
    await call('PATCH', 'settings', { body: { settings: { [key]: value } } });
  } catch (error) {
    error.fields = error.fields?.map(({ message }) => ({ pointer: '/value', message }));
    throw error;
  }
}

function drawn(rows, change, back) {
  return table({
    name: 'Settings',
    rows,
    columns: [
      {
        head: 'Setting',
        is: 'name',
        cell: ({ key, about }) => h('code', { class: 'bytes', title: about && clean(about, 400) }, clean(key, 120)),
      },
      {
        head: 'Value',
        cell: ({ value, after_restart: next }) => [
          shownValue(value),
          next !== undefined &&
            h('div', { class: 'small' }, next === null ? 'without the change' : shownValue(next), ' after a restart'),
        ],
      },
      { head: 'From', cell: ({ source }) => h('span', { class: 'meta' }, clean(source, 200)) },
      {
        head: 'Change',
        cell: (row) =>
          row.change === undefined
            ? h('span', { class: 'meta' }, clean(sentence(row.fixed), 200))
            : h('span', { class: 'row' }, button('Change', row, change), row.kept && button('Take back', row, back)),
      },
    ],
  });
}

function button(words, row, pressed) {
  const label = `${words}: ${row.key}`;
  return h('button', { class: 'quiet', type: 'button', 'aria-label': label, onclick: () => pressed(row) }, words);
}

function sentence(words = '') {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
}

function shownValue(value) {
  if (value === null) return h('span', { class: 'mu' }, 'not set');
  if (value === '(hidden)') return h('span', { class: 'tag' }, 'hidden');
  return h('code', { class: 'bytes' }, clean(typeof value === 'string' ? value : JSON.stringify(value), 300));
}
