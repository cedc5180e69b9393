// The list of keys, loaded when it is asked for.
import { h } from './dom.js';

let dialog;
let box;

/** `rows` are those of a key and its meaning; `turn` is told whether keys are to be on. */
export function openKeys(rows, { isOn, turn }) {
  dialog ??= make(rows, turn);
  box.checked = isOn;
  dialog.showModal();
}

function make(rows, turn) {
  box = h('input', { type: 'checkbox', id: 'keys-on', onchange: () => turn(box.checked) });
  const made = h(
    'dialog',
    { 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h(
      'dl',
      { class: 'facts' },
      rows.map(([key, does]) =>
        h('div', { class: 'pair' }, h('dt', {}, h('kbd', { class: 'mono' }, key)), h('dd', {}, does)),
      ),
    ),
    h('p', {}, box, ' ', h('label', { for: 'keys-on' }, 'Keys are on')),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')),
  );
  document.body.append(made);
  return made;
}
