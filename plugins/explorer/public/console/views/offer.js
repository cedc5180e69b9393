import { at, call, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { cleanName, shortId } from '../../format.js';
import { failure } from '../../section.js';
import { drawnField } from '../panel.js';

const FIELDS = [
  {
    ...{ name: 'recipient', label: 'Agent', required: true, list: 'known', maxlength: 44, class: 'mono' },
    hint: 'Its id. Those that this node has heard of are offered while you type.',
  },
  {
    name: 'message',
    label: 'The work',
    kind: 'textarea',
    required: true,
    maxlength: 4_096,
    hint: 'The agent reads it.',
  },
  {
    ...{ name: 'amount_usdc', label: 'Amount in USDC', required: true, inputmode: 'decimal', value: '1' },
    ...{ pattern: '\\d+([.]\\d{1,6})?', maxlength: 20, hint: 'Nothing moves yet: it is locked once both agree.' },
  },
];
const MORE = [
  {
    ...{ name: 'bond_usdc', label: 'Bond in USDC', inputmode: 'decimal', pattern: '\\d+([.]\\d{1,6})?', maxlength: 20 },
    hint: 'You lock it beside the amount, and it comes back. A provider that does not know you may ask for one.',
  },
  {
    name: 'notary',
    label: 'Notary',
    maxlength: 44,
    class: 'mono',
    hint: 'The agent that decides a contested dispute.',
  },
  { name: 'deadline_hours', label: 'Hours to deliver', kind: 'number', min: 1, max: 2_160, hint: '24 unless given.' },
  { name: 'review_hours', label: 'Hours to review', kind: 'number', min: 1, max: 336, hint: '24 unless given.' },
];

/** A new deal: an offer of this node, as its requester. */
export async function draw(main, { query }) {
  document.title = 'New deal \u00b7 agent-mesh';
  const inputs = [...FIELDS, ...MORE].map((field) => drawnField(field, `offer-${field.name}`));
  const trouble = h('div', {});
  const go = h('button', { class: 'primary' }, 'Send the offer');
  const known = h('datalist', { id: 'known' });
  inputs[0].input.value = query.get('to') ?? '';
  fill(
    main,
    h(
      'div',
      { class: 'stack narrow' },
      h('h1', {}, 'New deal'),
      h(
        'form',
        { class: 'stack', onsubmit },
        inputs.slice(0, FIELDS.length).map(({ element }) => element),
        known,
        h(
          'details',
          {},
          h('summary', {}, 'More terms'),
          h(
            'div',
            { class: 'stack sub' },
            inputs.slice(FIELDS.length).map(({ element }) => element),
          ),
        ),
        trouble,
        h('p', { class: 'row' }, go, h('a', { href: at('deals') }, 'Back to the deals')),
      ),
    ),
  );
  read('peers', { limit: 200 }).then(
    (peers) =>
      fill(
        known,
        peers.map(({ agent_id: id, name }) => h('option', { value: id }, cleanName(name) || shortId(id))),
      ),
    () => undefined,
  );

  async function onsubmit(event) {
    event.preventDefault();
    for (const { clear } of inputs) clear();
    fill(trouble);
    go.disabled = true;
    go.textContent = 'Sending \u2026';
    try {
      const values = Object.fromEntries(inputs.map(({ name, value }) => [name, value()]));
      const step = await call('POST', 'negotiate/propose', { body: bodyOf(values) });
      location.assign(at(['deals', step.conversation_id]));
    } catch (error) {
      if (error.code === undefined) throw error;
      const told = inputs.filter(({ tell }) => tell(error.fields));
      fill(trouble, failure(error));
      told[0]?.focus();
    } finally {
      go.disabled = false;
      go.textContent = 'Send the offer';
    }
  }
}

function bodyOf({ deadline_hours: deadline, review_hours: review, ...values }) {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  return {
    ...given,
    ...(deadline && { deadline_secs: Number(deadline) * 3_600 }),
    ...(review && { review_secs: Number(review) * 3_600 }),
  };
}
