// Receipts on a page: fetched from the epoch of their sender, checked, and shown with their bytes.
import { read } from './data.js';
import { fill, h, svg } from './dom.js';
import { count, fullMoment, grouped, thousands } from './format.js';
import { agentLink, briefId, conversationLink, copyButton, facts, icon } from './parts.js';
import { base58Text } from './seal.js';
import { bytesOf, checkReceipt, decodeReceipt, hex } from './verify.js';

const PAGE = 1_000;
const MOST_PAGES = 10;
const NO_CONVERSATION = '0'.repeat(32);
const MARKS = {
  holds: ['check', 'holds', 'ok'],
  fails: ['cross', 'does not hold', 'bad'],
  unknown: ['dash', 'cannot be checked in this browser', 'mu'],
  open: ['dash', 'not made', 'mu'],
};

/** The receipts of an agent's epoch that `wanted` takes, as far as this aggregator was shown them. */
export async function receiptsOf(agent, epoch, wanted = () => true) {
  const found = [];
  let after;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const rows = await read(['epochs', agent, String(epoch), 'envelopes'], { limit: PAGE, after });
    for (const { seq, leaf_hash: said, bytes_b64: base64 } of rows) {
      const bytes = bytesOf(base64);
      const receipt = decodeReceipt(bytes);
      // A part that cannot be read is shown, not passed over.
      if (!receipt || wanted(receipt)) found.push({ agent, epoch, seq, said, bytes, receipt });
    }
    if (rows.length < PAGE) break;
    after = rows.at(-1).seq;
  }
  return found;
}

/** A step is reported a little later than it was signed. */
const LATE = 60_000;

/** The epochs in which something can have been signed that was told of at a moment: the likelier first. */
export function epochsOf(when, { epoch_secs: length }) {
  return [...new Set([0, LATE].map((ms) => Math.floor((new Date(when).getTime() - ms) / 1_000 / length)))];
}

/** A mark that is drawn by the code that has checked: never by what the server says. */
export function markOf(result) {
  const worst =
    ['fails', 'unknown', 'open'].find((state) => result.checks.some((check) => check.state === state)) ?? 'holds';
  return checkMark(worst, { holds: 'signed', fails: 'does not hold' }[worst]);
}

function checkMark(state, text) {
  const [name, label, kind] = MARKS[state];
  return h('span', { class: `row fixed ${kind}` }, text, icon(name, label));
}

/** The panel of one receipt: the verdict, each check, the fields, the bytes; with a heading of that level. */
export async function receiptPanel(one, network, level = 'h3') {
  const from = performance.now();
  const result = await checkReceipt(one.bytes, { network, agent: one.agent, epoch: one.epoch, said: one.said });
  const took = performance.now() - from;
  const { receipt } = result;
  return h(
    'div',
    { class: 'stack' },
    verdict(result),
    h(
      'div',
      { class: 'card' },
      h(level, {}, `${count(result.checks.length, 'check')} made in ${Math.ceil(took)} ms`),
      h(
        'ol',
        { class: 'checks' },
        result.checks.map((check) => drawCheck(check, result)),
      ),
    ),
    h(
      'p',
      { class: 'row' },
      copyButton(hex(one.bytes), 'bytes in hex'),
      h(
        'a',
        {
          class: 'button',
          download: `receipt-${(result.id ?? one.said).slice(0, 12)}.json`,
          href: evidenceFile(one, network, result),
        },
        'Evidence file',
      ),
    ),
    receipt && fields(receipt),
    receipt && strip(receipt.signature, result.holds),
    h('pre', { class: 'bytes' }, grouped(hex(one.bytes), 16)),
  );
}

function verdict({ holds, checks }) {
  if (holds)
    return h(
      'p',
      { class: 'banner ok', role: 'status' },
      icon('check', 'holds'),
      h('b', {}, 'This receipt holds.'),
      ' This browser has checked it; the server was not asked to be believed.',
    );
  if (checks.some(({ state }) => state === 'fails'))
    return h(
      'p',
      { class: 'banner bad', role: 'alert' },
      icon('cross', 'does not hold'),
      h('b', {}, 'This receipt does not hold.'),
      ' Its bytes are not those that the agent signed, or they are of another mesh.',
    );
  return h(
    'p',
    { class: 'banner', role: 'status' },
    h('b', {}, 'This browser cannot check the signature'),
    ': it has no Ed25519 here, and this server does not serve the program that has.',
  );
}

/** Of a receipt that does not hold nothing has a tick: what holds of it is said in a word. */
function drawCheck({ text, state, detail }, { checks }) {
  const isFalse = checks.some((one) => one.state === 'fails');
  const [name, label, kind] = isFalse && state === 'holds' ? ['dash', 'holds', 'mu'] : MARKS[state];
  return h(
    'li',
    {},
    h('span', { class: kind }, icon(name, label)),
    h('span', {}, text, detail && [h('br'), h('code', { class: 'meta bytes' }, detail)]),
  );
}

function fields({
  version,
  type,
  code,
  sender,
  recipient,
  timestamp,
  blockRef,
  nonce,
  conversation,
  payloadHash,
  payloadLength,
  payer,
  answers,
}) {
  const broadcast = recipient.every((byte) => byte === 0);
  const talk = hex(conversation);
  return facts([
    ['Version', version],
    ['Message type', `${type} (${code & 0x7fff})${code & 0x8000 ? ', sealed' : ''}`],
    ['Sender', agentLink(base58Text(sender))],
    ['Recipient', broadcast ? 'everybody' : agentLink(base58Text(recipient))],
    [
      'Time',
      [
        fullMoment(new Date(timestamp / 1_000).toISOString()),
        ' ',
        h('span', { class: 'nowrap' }, `(${timestamp} \u00b5s)`),
      ],
    ],
    ['Ledger slot', thousands(blockRef)],
    ['Number', thousands(nonce)],
    ['Conversation', talk === NO_CONVERSATION ? 'none' : conversationLink(talk)],
    ['Hash of the content', briefId(hex(payloadHash), 'hash')],
    ['Length of the content', `${thousands(payloadLength)} bytes`],
    ['Payer', payer && agentLink(base58Text(payer))],
    ['Answers', answers && briefId(hex(answers), 'id')],
  ]);
}

/** The 64 bytes of a signature as ticks. */
function strip(signature, holds) {
  const d = Array.from(signature, (byte, index) => {
    const high = 2 * Math.round(1 + byte / 28);
    return `M${2 + 3 * index} ${12 - high / 2}v${high}`;
  }).join('');
  return svg(
    'svg',
    { class: `strip-of-signature ${holds ? 'ok' : 'bad'}`, viewBox: '0 0 194 24', 'aria-hidden': true },
    svg('path', { d }),
  );
}

function evidenceFile({ bytes, said }, network, { holds, checks }) {
  const { network_id, genesis_hash, program, config, envelope_version, epoch_secs, hash } = network;
  const evidence = {
    receipt_hex: hex(bytes),
    envelope_id: said,
    network: { network_id, genesis_hash, program, config, envelope_version, epoch_secs, hash: hex(hash) },
    holds,
    checks: checks.map(({ text, state, detail }) => ({ text, state, detail })),
    checked_at: new Date().toISOString(),
  };
  return `data:application/json,${encodeURIComponent(JSON.stringify(evidence, null, 2))}`;
}

/** Checks one after the other, so that marks appear in order and the page stays quick. */
export async function checkAll(receipts, network, told) {
  const from = performance.now();
  let held = 0;
  for (const one of receipts) {
    const result = await checkReceipt(one.bytes, { network, agent: one.agent, epoch: one.epoch, said: one.said });
    if (result.holds) held += 1;
    told(one, result);
  }
  return { held, all: receipts.length, took: `${Math.ceil(performance.now() - from)} ms` };
}

/** An element that opens the panel of a receipt below itself when it is asked for. */
export function receiptDetails(one, network) {
  const body = h('div', {});
  const details = h('details', {}, h('summary', { class: 'meta' }, 'See the bytes'), body);
  details.addEventListener('toggle', async () => {
    if (details.open && body.childElementCount === 0) fill(body, await receiptPanel(one, network));
  });
  return details;
}
