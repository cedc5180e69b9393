// A step before it is taken: the figures it moves, the fields it needs, one button that says both.
import { at } from '../data.js';
import { fill, h, present } from '../dom.js';
import { clean } from '../format.js';
import { facts } from '../parts.js';
import { failure } from '../section.js';

/** Milliseconds for a step that waits for the ledger. */
export const LEDGER_PATIENCE = 120_000;

let panels = 0;

/** One place on a page where panels open, one at a time. Told words stay in it after the panel is gone. */
export function panelPlace() {
  const said = h('div', { role: 'status', tabindex: -1 });
  const place = h('div', {});
  const element = h('div', { class: 'place' }, said, place);
  element.open = (panel) => {
    fill(said);
    fill(place, drawn(panel, place, said));
    place.querySelector('h2').focus();
    place.scrollIntoView({ block: 'nearest' });
  };
  return element;
}

/**
 * `{ title, words, rows, fields, verb, busy, danger, run, done }`: `rows` are facts such as amount and payee, `run(values, key)` takes
 * the step under a key that makes it happen once, `done` says that it has.
 */
function drawn({ title, words = [], rows = [], fields = [], verb, busy, danger, run, done }, place, said) {
  const opener = document.activeElement;
  const number = panels++;
  const key = onceKey();
  const inputs = fields.map((field) => drawnField(field, `panel-${number}-${field.name}`));
  const trouble = h('div', {});
  const go = h('button', { class: danger ? 'danger' : 'primary' }, verb);
  const leave = h('button', { class: 'quiet', type: 'button', onclick: () => leaves() }, 'Cancel');
  const panel = h(
    'section',
    { class: `card panel stack tight ${danger ? 'danger' : ''}`, 'aria-labelledby': `panel-${number}`, onkeydown },
    h('h2', { id: `panel-${number}`, tabindex: -1 }, title),
    rows.length > 0 && facts(rows),
    words.map((text) => h('p', { class: 'meta' }, text)),
    h(
      'form',
      { class: 'stack tight', onsubmit },
      inputs.map(({ element }) => element),
      trouble,
      h('p', { class: 'row' }, go, leave),
    ),
  );
  return panel;

  function onkeydown(event) {
    if (event.key === 'Escape' && !go.disabled) leaves();
  }

  /** The focus goes back to the button that opened it, or after a step to the words that tell of it: the button may go with the step. */
  function leaves(told) {
    const isHere = panel.contains(document.activeElement) || document.activeElement === document.body;
    fill(place);
    fill(said, told);
    if (!isHere) return;
    const back = !told && opener && present(opener);
    (back && back !== document.body && !back.disabled ? back : said).focus();
  }

  async function onsubmit(event) {
    event.preventDefault();
    if (go.disabled) return;
    for (const { clear } of inputs) clear();
    fill(trouble);
    for (const one of [go, leave]) one.disabled = true;
    go.textContent = `${busy} \u2026`;
    try {
      const values = Object.fromEntries(inputs.map(({ name, value }) => [name, value()]));
      const answer = await run(values, key);
      const words = typeof done === 'function' ? done(answer) : done;
      const told = words && h('p', { class: 'banner ok' }, h('span', {}, words));
      // Another panel may have opened in its place meanwhile.
      if (panel.isConnected) leaves(told);
      else fill(said, told);
    } catch (error) {
      if (error.code === undefined) throw error;
      const placed = inputs.filter(({ tell }) => tell(error.fields));
      fill(trouble, failure(error), remedyFor(error));
      placed[0]?.focus();
    } finally {
      for (const one of [go, leave]) one.disabled = false;
      go.textContent = verb;
    }
  }
}

function remedyFor({ code }) {
  if (code === 'insufficient_funds')
    return h('p', {}, h('a', { href: at('wallet') }, 'Show the address of the wallet'));
  if (code === 'spending_cap') return h('p', {}, h('a', { href: at('wallet') }, 'Show the caps of the wallet'));
  return undefined;
}

/** A field with its label, a hint, and a place for what is wrong with it. */
export function drawnField({ name, label, hint, kind = 'text', options, initial, ...attributes }, id) {
  const note = h('p', { class: 'small bad', id: `${id}-note` });
  const shape = { id, name, 'aria-describedby': `${id}-note ${id}-hint`, ...attributes };
  const input = inputOf(kind, options, shape);
  if (initial !== undefined && initial !== null) input.value = initial;
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    input,
    h('p', { class: 'meta', id: `${id}-hint` }, hint),
    note,
  );
  return {
    ...{ name, element, input },
    value: () => (kind === 'checkbox' ? input.checked : input.value.trim()),
    focus: () => input.focus(),
    clear() {
      note.textContent = '';
      input.removeAttribute('aria-invalid');
    },
    /** Shows what the node says of this field; whether it said anything. */
    tell(problems = []) {
      const found = problems.find(({ pointer }) => String(pointer).slice(1).split('/')[0] === name);
      if (!found) return false;
      note.textContent = clean(found.message, 200);
      input.setAttribute('aria-invalid', 'true');
      return true;
    },
  };
}

function inputOf(kind, options, shape) {
  if (kind === 'textarea') return h('textarea', shape);
  if (kind !== 'select') return h('input', { type: kind, autocomplete: 'off', spellcheck: 'false', ...shape });
  return h(
    'select',
    shape,
    options.map(([value, text]) => h('option', { value }, text)),
  );
}

/** A key under which a step is taken once. Pages over plain HTTP from another machine have no randomUUID. */
function onceKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
