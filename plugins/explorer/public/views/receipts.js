import { at, readNetwork } from '../data.js';
import { fill, h } from '../dom.js';
import { firstFrame } from '../first.js';
import { count, fullMoment, shortId } from '../format.js';
import { agentLink, empty, table } from '../parts.js';
import { checkAll, epochsOf, markOf, receiptPanel, receiptsOf } from '../receipts.js';
import { base58Text } from '../seal.js';
import { section } from '../section.js';
import { ownNetwork } from '../verify.js';

const SHOWN = 200;
const AGENT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The receipts of an agent's epoch, each checked here; one of them whole. The epoch may be told by a moment, `at`. */
export async function draw(main, { query }) {
  document.title = 'Receipts \u00b7 agent-mesh';
  const agent = query.get('agent') ?? '';
  const epoch = query.get('epoch') ?? '';
  const wanted = query.get('id');
  const when = Number.isNaN(Date.parse(query.get('at') ?? '')) ? undefined : query.get('at');
  const isAsked = AGENT.test(agent) && (/^\d{1,9}$/.test(epoch) || when !== undefined);
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
        section({
          load: () => load(agent, { epoch, when, wanted }),
          draw(found) {
            main.querySelector('#epoch').value = found.epoch;
            return list(found, { agent, wanted });
          },
        }),
    ),
  );
  if (!epoch && !when) main.querySelector('#epoch').value = epochsOf(Date.now(), await readNetwork())[0];
}

function form(agent, epoch) {
  return h(
    'form',
    { class: 'row', action: at('receipts') },
    h(
      'span',
      { class: 'row fixed grow' },
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
    ),
    h(
      'span',
      { class: 'row fixed' },
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
    ),
    h('button', { type: 'submit' }, 'Show'),
  );
}

/** Those of the epoch; of a moment, those of the epoch that has the wanted one. */
async function load(agent, { epoch, when, wanted }) {
  const network = await ownNetwork();
  const epochs = epoch ? [Number(epoch)] : epochsOf(when, network);
  let found;
  for (const one of epochs) {
    found = { network, epoch: one, receipts: await receiptsOf(agent, one) };
    if (found.receipts.some(({ said }) => said === wanted)) break;
  }
  return found;
}

function list({ network, epoch, receipts }, { agent, wanted }) {
  const others = h('p', {}, h('a', { href: at('receipts', { agent, epoch: epoch - 1 }) }, 'The epoch before'));
  if (receipts.length === 0)
    return [
      empty(
        'This aggregator was shown nothing that ',
        agentLink(agent, { sealed: false }),
        ` signed in epoch ${epoch}.`,
      ),
      others,
    ];
  const chosen = receipts.find(({ said }) => said === wanted);
  const panel = h('div', {});
  if (chosen) receiptPanel(chosen, network, 'h2').then((drawn) => fill(panel, drawn));
  const rows = receipts.slice(-SHOWN).reverse();
  const marks = new Map(rows.map((one) => [one, h('span', { class: 'mu small' }, 'checking')]));
  const sum = h('p', { role: 'status' }, 'Checking \u2026');
  firstFrame
    .then(() => checkAll(rows, network, (one, result) => fill(marks.get(one), markOf(result))))
    .then(({ held, all, took }) =>
      fill(
        sum,
        h('b', { class: held === all ? 'ok' : undefined }, `${held} of ${count(all, 'receipt')} hold`),
        `, checked in ${took}.`,
      ),
    );
  return [
    wanted &&
      !chosen &&
      empty('The receipt that was asked for is not among those that this aggregator hands out of this epoch.'),
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
