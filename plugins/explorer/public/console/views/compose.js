import { at, call } from '../../data.js';
import { fill, h } from '../../dom.js';
import { failure } from '../../section.js';
import { drawnField } from '../panel.js';

const FIELDS = [
  { name: 'recipient', label: 'Agent', hint: 'Its id.', required: true, maxlength: 44, class: 'mono' },
  { name: 'text', label: 'Text', kind: 'textarea', required: true, maxlength: 16_384, rows: 8 },
];

/** A plain text to another agent. */
export async function draw(main, { query }) {
  document.title = 'Write \u00b7 agent-mesh';
  const inputs = FIELDS.map((field) => drawnField(field, `compose-${field.name}`));
  const [recipient, text] = inputs;
  recipient.input.value = query.get('to') ?? '';
  const notes = h('div', { class: 'place', role: 'status' });
  const go = h('button', { class: 'primary' }, 'Send');
  fill(
    main,
    h(
      'div',
      { class: 'stack narrow' },
      h('h1', {}, 'Write to an agent'),
      notes,
      h(
        'form',
        { class: 'stack', onsubmit },
        inputs.map(({ element }) => element),
        h('p', {}, go),
      ),
    ),
  );

  async function onsubmit(event) {
    event.preventDefault();
    for (const { clear } of inputs) clear();
    go.disabled = true;
    try {
      const body = { recipient: recipient.value(), text: text.input.value };
      const { envelope_id: id } = await call('POST', 'message', { body });
      text.input.value = '';
      const link = h('a', { href: at(['envelopes', id]) }, 'See its way');
      fill(notes, h('p', { class: 'banner ok' }, h('span', {}, 'The node sends it. ', link)));
    } catch (error) {
      if (error.code === undefined) throw error;
      for (const { tell } of inputs) tell(error.fields);
      fill(notes, failure(error));
    } finally {
      go.disabled = false;
    }
  }
}
