import { call, read } from '../../data.js';
import { fill, h, svg } from '../../dom.js';
import { firstFrame } from '../../first.js';
import { amount, clean, decimal, fullMoment, shortId } from '../../format.js';
import { briefId, empty, facts, seal, table, time, wholeId } from '../../parts.js';
import { base58 } from '../../seal.js';
import { LEDGER_PATIENCE, panelPlace } from '../panel.js';
import { qrPath } from '../qr.js';
import { liveSection } from '../wire.js';
import { withoutLedger } from './overview.js';

const LIMIT = 50;
const QUIET = 4;

/** The wallet of this agent: where it receives, what it holds, what moved. */
export async function draw(main, { introduction }) {
  document.title = 'Wallet \u00b7 agent-mesh';
  const { agent_id: address, network } = await introduction;
  const place = panelPlace();
  const refresh = () => Promise.all([balances.refresh(), history.refresh()]);
  const balances = liveSection(['deal', 'lease'], {
    title: 'Balances',
    lead: true,
    load: () => withoutLedger('portfolio/balances'),
    draw: (found) =>
      found
        ? [drawBalances(found), sweep(found, place, refresh)]
        : empty('This node has no ledger, and so no wallet. Start it with --rpc-url.'),
  });
  const caps = liveSection(['deal'], {
    title: 'Caps',
    load: () => withoutLedger('portfolio/caps'),
    draw: (found) => (found ? drawCaps(found) : empty('Without a ledger nothing leaves the wallet.')),
  });
  const history = liveSection(['deal', 'lease'], {
    title: 'Movements',
    load: () => read('portfolio/history', { limit: LIMIT }),
    draw: ({ events }) => (events.length === 0 ? empty('Nothing has moved yet.') : movements(events)),
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h(
        'div',
        { class: 'row apart' },
        h('h1', {}, 'Wallet'),
        h('span', { class: 'tag' }, h('bdi', {}, clean(network.network_id, 32))),
      ),
      place,
      h('div', { class: 'two' }, receive(address), h('div', { class: 'stack loose' }, balances, caps)),
      history,
    ),
  );
  await Promise.all([balances.ready, caps.ready, history.ready]);
}

function receive(address) {
  const size = 33 + 2 * QUIET;
  const code = svg('path', { 'shape-rendering': 'crispEdges' });
  // A code takes a slow processor a tenth of a second.
  firstFrame.then(() => code.setAttribute('d', qrPath(address)));
  return h(
    'section',
    { class: 'card row', 'aria-label': 'Receive' },
    svg(
      'svg',
      {
        class: 'qr',
        viewBox: `${-QUIET} ${-QUIET} ${size} ${size}`,
        role: 'img',
        'aria-label': 'The address as a QR code',
      },
      code,
    ),
    h(
      'div',
      { class: 'stack tight grow' },
      h('h2', {}, 'Receive'),
      wholeId(address, 'address'),
      h('p', { class: 'meta' }, 'USDC and SOL go to the same address. SOL pays the fees of the ledger.'),
      h('p', { class: 'meta' }, 'A ledger of your own, on this machine, fills it:'),
      h('pre', { class: 'command', tabindex: 0 }, `mesh faucet ${address} --sol 1 --usdc 10`),
    ),
  );
}

function drawBalances({ tokens }) {
  return table({
    name: 'Tokens in the wallet',
    rows: tokens,
    columns: [
      {
        head: 'Token',
        is: 'name',
        cell: ({ symbol, mint }) => [
          h('b', {}, clean(symbol ?? shortId(mint), 24)),
          ' ',
          h('span', { class: 'meta' }, symbol === 'SOL' && 'for fees'),
        ],
      },
      {
        head: 'Amount',
        num: true,
        cell: ({ symbol, amount: held, decimals }) =>
          symbol === 'USDC' ? amount(held) : decimal(held, Math.min(decimals, 6)),
      },
    ],
  });
}

function drawCaps({ max_escrow_usdc: escrow, max_stake_usdc: stake, day }) {
  return facts([
    ['Spent in 24 hours', `${amount(day.used_usdc)} of ${amount(day.limit_usdc)} USDC`],
    ['Most for a deal', `${amount(escrow)} USDC`],
    ['Most at stake', `${amount(stake)} USDC`],
  ]);
}

/** Money leaves by the sweep alone, which the node bounds and writes down. */
function sweep({ tokens }, place, after) {
  const held = tokens.find(({ symbol }) => symbol === 'USDC');
  if (!held || !(held.amount > 0)) return undefined;
  const open = () =>
    place.open({
      title: 'Send USDC out of this wallet',
      fields: [
        {
          name: 'destination',
          label: 'To the wallet',
          required: true,
          maxlength: 44,
          class: 'mono',
          hint: 'A wallet of yours. The panel shows it once more before anything moves.',
        },
        {
          name: 'amount_usdc',
          label: 'Amount in USDC',
          inputmode: 'decimal',
          pattern: '\\d+([.]\\d{1,6})?',
          value: String(held.amount),
          required: true,
        },
      ],
      verb: 'Go on',
      busy: 'Checking',
      run: async (values) => values,
      done: (values) => void setTimeout(() => confirm(values), 0),
    });
  const confirm = ({ destination, amount_usdc: sum }) =>
    place.open({
      title: `Send ${amount(sum)} USDC?`,
      rows: [
        ['Amount', `${amount(sum)} USDC`],
        [
          'To',
          [base58(destination) && seal(destination, 'mid'), ' ', h('code', { class: 'bytes' }, clean(destination, 44))],
        ],
        ['From', 'the wallet of this node'],
      ],
      words: ['This cannot be taken back.'],
      verb: `Send ${amount(sum)} USDC`,
      busy: 'Sending',
      run: (_, key) =>
        call('POST', 'wallet/sweep', {
          body: { destination, amount_usdc: sum },
          headers: { 'idempotency-key': key },
          patience: LEDGER_PATIENCE,
        }).then(after),
      done: 'Sent.',
    });
  return h('p', { class: 'sub' }, h('button', { type: 'button', 'data-key': 'sweep', onclick: open }, 'Send USDC'));
}

function movements(events) {
  return table({
    name: 'Movements',
    rows: events,
    columns: [
      { head: 'Step', is: 'name', cell: ({ type, action }) => clean(`${type} ${action}`.replaceAll('_', ' '), 60) },
      { head: 'Time', cell: ({ timestamp }) => time(timestamp, fullMoment(timestamp)) },
      {
        head: 'With',
        cell: ({ counterparty }) => counterparty && h('code', { title: counterparty }, shortId(counterparty)),
      },
      {
        head: 'USDC',
        num: true,
        cell: ({ direction, amount_usdc: sum }) =>
          sum !== null && `${direction === 'out' ? '\u2212' : ''}${amount(sum)}`,
      },
      { head: 'Transaction', cell: ({ signature }) => signature && briefId(signature, 'transaction') },
    ],
  });
}
