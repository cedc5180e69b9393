import { at, read } from '../data.js';
import { fill, h } from '../dom.js';
import { escrowFacts } from '../escrow.js';
import { firstFrame } from '../first.js';
import { clean, count, points, shortId, usdc } from '../format.js';
import { agentLink, ago, briefId, copyButton, empty, icon, seal, sentence, time } from '../parts.js';
import { checkAll, epochsOf, markOf, receiptDetails, receiptsOf } from '../receipts.js';
import { failure } from '../section.js';
import { activitySentence, dealState, dealsOf, escrowState, inOrder, ledgerSentence } from '../sentences.js';
import { hex, ownNetwork } from '../verify.js';

const LIMIT = 200;

/** A conversation: what was signed and what the ledger did, in its order, each signature checked here. */
export async function draw(main, { id: asked }) {
  document.title = `Conversation ${shortId(asked)} \u00b7 agent-mesh`;
  let found;
  try {
    found = await read(['conversations', asked], { limit: LIMIT });
  } catch (error) {
    if (error.status !== 404 && error.status !== 400)
      fill(
        main,
        h('h1', {}, 'Conversation'),
        failure(error, () => draw(main, { id: asked })),
      );
    else unknown(main, asked);
    return;
  }
  const { conversation_id: id, timeline, escrows } = found;
  const steps = [...timeline].sort((one, other) => inOrder(one.activity ?? one.ledger, other.activity ?? other.ledger));
  const { from, to, micro, state } = summaryOf(steps, escrows);
  const marks = new Map();
  const verdict = h(
    'section',
    { class: 'card stack tight', 'aria-label': 'Signatures' },
    h('h2', {}, 'Signatures'),
    h('p', { class: 'meta' }, 'Looking for the receipts \u2026'),
  );
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h(
        'p',
        { class: 'row' },
        from && seal(from, 'big'),
        from && to && h('span', { class: 'mu' }, icon('arrow')),
        to && seal(to, 'big'),
      ),
      h(
        'h1',
        {},
        from && to
          ? [
              agentLink(from, { sealed: false }),
              ' hired ',
              agentLink(to, { sealed: false }),
              micro !== undefined && ` for ${usdc(micro)} USDC`,
            ]
          : 'A conversation',
      ),
      h(
        'p',
        { class: 'row' },
        h('span', { class: `tag ${state === 'disputed' ? 'bad' : 'ok'}` }, state),
        h('span', { class: 'tag' }, count(steps.length, 'step')),
        h(
          'span',
          { class: 'meta' },
          'Conversation ',
          h('code', { class: 'bytes' }, id),
          ' ',
          copyButton(id, 'conversation id'),
        ),
      ),
      h(
        'div',
        { class: 'cols' },
        h(
          'div',
          { class: 'stack' },
          chain(steps, marks),
          h('p', {}, timeline.length === LIMIT && empty(`Only the newest ${LIMIT} steps are shown.`)),
        ),
        h(
          'div',
          { class: 'stack loose' },
          verdict,
          ...escrows.map((escrow) => escrowFacts(escrow, escrows.length)),
          hidden(),
        ),
      ),
    ),
  );
  firstFrame.then(() => verify(steps, marks, verdict));
}

function unknown(main, asked) {
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'This aggregator has not heard of that conversation'),
      h('p', {}, h('code', { class: 'bytes' }, clean(asked, 128))),
      h(
        'p',
        {},
        'A conversation is 32 hex digits or a UUID. It is known here once one of its sides has reported a step. ',
        h('a', { href: at('search', { q: asked.slice(0, 128) }) }, 'Search everything for it'),
        '.',
      ),
    ),
  );
}

function summaryOf(steps, escrows) {
  const [deal] = dealsOf(
    steps.flatMap(({ activity }) => activity ?? []),
    steps.flatMap(({ ledger }) => ledger ?? []),
  );
  // Several can be locked under one id; what the deal is, the steps tell.
  const [escrow] = escrows.length === 1 ? escrows : [];
  const state = escrow ? escrowState(escrow.state) : deal ? dealState(deal) : 'no deal yet';
  return {
    from: escrow?.requester ?? deal?.from,
    to: escrow?.provider ?? deal?.to,
    micro: escrow?.amount_usdc_micro ?? deal?.micro,
    state,
  };
}

function chain(steps, marks) {
  if (steps.length === 0) return empty('No step is known here.');
  return h(
    'ol',
    { class: 'chain' },
    steps.map((step) => (step.activity ? signedStep(step, marks) : ledgerStep(step))),
  );
}

function signedStep({ activity, at: when }, marks) {
  const said = activitySentence(activity);
  const mark = h('span', { class: 'mu small' }, 'not checked yet');
  const more = h('div', {});
  marks.set(activity, { mark, more });
  const value = typeof said.value === 'number' ? ` ${points(said.value)}` : '';
  return h(
    'li',
    {},
    seal(activity.agent_id, 'mid') ?? h('span', { class: 'next-step' }),
    h(
      'div',
      { class: 'say' },
      h('p', {}, sentence(said.words), value),
      h('p', { class: 'meta' }, time(when), ', ', ago(when)),
      more,
    ),
    h('div', { class: 'end small' }, mark),
  );
}

function ledgerStep({ ledger, at: when }) {
  const said = ledgerSentence(ledger);
  const amount = said.micro === undefined ? '' : ` \u00b7 ${usdc(said.micro)} USDC`;
  return h(
    'li',
    {},
    h('span', { class: 'ledger-step' }, icon('lock')),
    h(
      'div',
      { class: 'say' },
      h('p', {}, sentence(said.words), amount),
      h(
        'p',
        { class: 'meta' },
        time(when),
        ` \u00b7 slot ${ledger.slot}`,
        ledger.signature && [' \u00b7 ', briefId(ledger.signature, 'transaction')],
      ),
    ),
    h('div', { class: 'end meta' }, 'on the ledger'),
  );
}

/** A step is found among the receipts of its signer's epoch. */
async function verify(steps, marks, panel) {
  const signed = steps.flatMap(({ activity }) => activity ?? []);
  if (signed.length === 0) return fill(panel, h('h2', {}, 'Signatures'), empty('No signed step is known here.'));
  try {
    const network = await ownNetwork();
    const found = await receiptsFor(signed, network);
    const matched = match(signed, found);
    const sum = await checkAll([...matched.values()], network, (one, result) => {
      for (const [event, receipt] of matched) {
        if (receipt !== one) continue;
        const { mark, more } = marks.get(event);
        fill(mark, markOf(result));
        fill(more, receiptDetails(one, network));
      }
    });
    for (const event of signed) if (!matched.has(event)) fill(marks.get(event).mark, 'not shown to this index');
    fill(
      panel,
      h('h2', {}, `${sum.held} of ${count(signed.length, 'signature')} ${sum.held === 1 ? 'holds' : 'hold'}`),
      h(
        'p',
        { class: 'meta' },
        'Checked in this browser, with the keys of the agents. This server was not asked to be believed.',
      ),
      sum.all < signed.length &&
        h(
          'p',
          { class: 'meta' },
          `${signed.length - sum.all} receipts are not among those that this aggregator hands out.`,
        ),
      h('p', {}, h('button', { type: 'button', onclick: () => verify(steps, marks, panel) }, 'Check again')),
    );
  } catch (error) {
    fill(
      panel,
      h('h2', {}, 'Signatures'),
      failure({ message: error.message, code: error.code ?? 'check' }, () => verify(steps, marks, panel)),
    );
  }
}

async function receiptsFor(events, network) {
  const places = new Map();
  for (const { agent_id: agent, created_at: when } of events)
    for (const epoch of epochsOf(when, network)) places.set(`${agent} ${epoch}`, { agent, epoch });
  const talk = events[0].conversation_id;
  const lists = await Promise.all(
    [...places.values()].map(({ agent, epoch }) =>
      receiptsOf(agent, epoch, ({ conversation }) => hex(conversation) === talk),
    ),
  );
  return lists.flat().filter(({ receipt }) => receipt !== undefined);
}

/** Each event with its receipt: that of its id; of an event without one, that of its type and signer that is nearest in time. */
function match(events, receipts) {
  const byId = new Map(receipts.map((one) => [`${one.agent} ${one.said}`, one]));
  const named = events.filter(({ envelope_id: id }) => id !== undefined);
  const matched = new Map();
  for (const event of named) {
    const own = byId.get(`${event.agent_id} ${event.envelope_id}`);
    if (own) matched.set(event, own);
  }
  const free = new Set(receipts.filter((one) => !named.some(({ envelope_id: id }) => id === one.said)));
  for (const event of events.filter(({ envelope_id: id }) => id === undefined)) {
    const like = [...free].filter(
      ({ agent, receipt }) => agent === event.agent_id && receipt.type === event.event_type,
    );
    const away = ({ receipt }) => Math.abs(receipt.timestamp / 1_000 - Date.parse(event.created_at));
    const [nearest] = like.sort((one, other) => away(one) - away(other));
    if (!nearest) continue;
    free.delete(nearest);
    matched.set(event, nearest);
  }
  return matched;
}

function hidden() {
  return h(
    'section',
    { 'aria-label': 'What others cannot see' },
    h('div', { class: 'hd' }, h('h2', {}, 'What others cannot see')),
    h(
      'p',
      { class: 'meta' },
      'Offers, messages and the work itself stay between the two agents. A receipt proves who sent which kind of message to whom and when, not its words.',
    ),
  );
}
