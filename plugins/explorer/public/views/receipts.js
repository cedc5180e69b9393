import { at, read } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, count, fullMoment, shortId } from '../format.js';
import { agentLink, empty, table } from '../parts.js';
import { checkAll, markOf, receiptPanel, receiptsOf } from '../receipts.js';
import { base58Text } from '../seal.js';
import { section } from '../section.js';
import { ownNetwork } from '../verify.js';

const SHOWN = 200;

/** The receipts of an agent's epoch, each checked here; one of them whole. */
export async function draw(main, { query }) {
  document.title = 'Receipts \u00b7 agent-mesh';
  const agent = query.get('agent') ?? '';
  const epoch = query.get('epoch') ?? '';
  const wanted = query.get('id');
  const isAsked = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(agent) && /^\d{1,9}$/.test(epoch);
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'Receipts'),
      h(
        'p',
        { class: 'mu' },
        'Nothing on this page is taken on trust. The bytes come from the aggregator; the arithmetic is done by your browser.',
      ),
      form(agent, epoch),
      isAsked &&
        section({ load: () => load(agent, Number(epoch)), draw: (found) => list(found, { agent, epoch, wanted }) }),
    ),
  );
  if (!epoch) {
    const { epoch_secs: length } = await read('network');
    main.querySelector('#epoch').value = Math.floor(Date.now() / 1_000 / length);
  }
}

function form(agent, epoch) {
  return h(
    'form',
    { class: 'row', action: at('receipts') },
    h('label', { for: 'agent' }, 'Agent'),
    h('input', {
      class: 'grow mono',
      id: 'agent',
      name: 'agent',
      value: agent,
      required: true,
      maxlength: 44,
      pattern: '[1-9A-HJ-NP-Za-km-z]{32,44}',
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    h('label', { for: 'epoch' }, 'Epoch'),
    h('input', {
      id: 'epoch',
      name: 'epoch',
      value: epoch,
      required: true,
      inputmode: 'numeric',
      pattern: '[0-9]{1,9}',
      size: 8,
    }),
    h('button', { type: 'submit' }, 'Show'),
  );
}

async function load(agent, epoch) {
  const [network, receipts] = await Promise.all([ownNetwork(), receiptsOf(agent, epoch)]);
  return { network, receipts };
}

function list({ network, receipts }, { agent, epoch, wanted }) {
  const others = h('p', {}, h('a', { href: at('receipts', { agent, epoch: Number(epoch) - 1 }) }, 'The epoch before'));
  if (receipts.length === 0)
    return [
      empty(
        'This aggregator was shown nothing that ',
        agentLink(agent, { sealed: false }),
        ` signed in epoch ${clean(epoch)}.`,
      ),
      others,
    ];
  const chosen = receipts.find(({ said }) => said === wanted);
  const panel = h('div', {});
  if (chosen) receiptPanel(chosen, network).then((drawn) => fill(panel, drawn));
  const rows = receipts.slice(-SHOWN).reverse();
  const marks = new Map(rows.map((one) => [one, h('span', { class: 'mu small' }, 'checking')]));
  const sum = h('p', { role: 'status' }, 'Checking \u2026');
  checkAll(rows, network, (one, result) => fill(marks.get(one), markOf(result))).then(({ held, all, took }) =>
    fill(
      sum,
      h('b', { class: held === all ? 'ok' : undefined }, `${held} of ${count(all, 'receipt')} hold`),
      `, checked in ${took}.`,
    ),
  );
  return [
    panel,
    sum,
    receipts.length > SHOWN && empty(`The newest ${SHOWN} of ${receipts.length} are shown and checked.`),
    table({
      name: 'Receipts',
      rows,
      columns: [
        { head: 'Number', cell: ({ seq }) => String(seq) },
        { head: 'Type', cell: ({ receipt }) => receipt?.type ?? 'cannot be read' },
        { head: 'To', cell: ({ receipt }) => receipt && recipientOf(receipt) },
        {
          head: 'Time',
          cell: ({ receipt }) => receipt && fullMoment(new Date(receipt.timestamp / 1_000).toISOString()),
        },
        {
          head: 'Id',
          cell: ({ said }) =>
            h('a', { class: 'mono', href: at('receipts', { agent, epoch, id: said }), title: said }, shortId(said)),
        },
        { head: 'Checked', num: true, cell: (one) => marks.get(one) },
      ],
    }),
    others,
  ];
}

function recipientOf({ recipient }) {
  return recipient.every((byte) => byte === 0) ? 'everybody' : agentLink(base58Text(recipient));
}
