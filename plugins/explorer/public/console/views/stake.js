import { call, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { amount, clean, count, fullMoment, usdc } from '../../format.js';
import { agentLink, empty, facts, table, time } from '../../parts.js';
import { LEDGER_PATIENCE, panelPlace } from '../panel.js';
import { liveSection } from '../wire.js';
import { withoutLedger } from './overview.js';

const NO_PROGRAM = 'This node has no ledger with the settlement program: there is nothing to stake or to lease.';
const FINAL = 'This cannot be taken back.';

/** Stake, lease, and what the agent owes for them. */
export async function draw(main) {
  document.title = 'Stake and lease \u00b7 agent-mesh';
  const place = panelPlace();
  const stake = liveSection(['batch', 'lease'], {
    title: 'Stake',
    lead: true,
    load: () => withoutLedger('stake'),
    draw: (found) => (found ? drawStake(found, place, () => stake.refresh()) : empty(NO_PROGRAM)),
  });
  const lease = liveSection(['lease'], {
    title: 'Lease',
    load: () => withoutLedger('lease'),
    draw: (found) => (found ? drawLease(found, place, () => lease.refresh()) : empty(NO_PROGRAM)),
  });
  const accusations = liveSection(['batch'], {
    title: 'Accusations',
    load: () => withoutLedger('accusations'),
    draw: (found = []) => (found.length === 0 ? empty('Nobody is accused.') : drawAccusations(found)),
  });
  const cases = liveSection(['deal', 'envelope'], {
    title: 'Cases as notary',
    load: () => read('notarize/cases'),
    draw: drawCases,
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h('h1', {}, 'Stake, lease and duties'),
      place,
      h('div', { class: 'two' }, stake, lease),
      accusations,
      cases,
    ),
  );
  await Promise.all([stake.ready, lease.ready, accusations.ready, cases.ready]);
}

const post = (path, key, body) =>
  call('POST', path, { body, headers: { 'idempotency-key': key }, patience: LEDGER_PATIENCE });

function drawStake(found, place, after) {
  const {
    state,
    stake_usdc_micro: held,
    duties,
    epoch,
    last_epoch: last,
    skipped_epochs: skipped,
    unlock,
    warnings,
  } = found;
  const open = (panel) => () => place.open({ ...panel, run: (...given) => panel.run(...given).then(after) });
  const sum = `${usdc(held)} USDC`;
  const steps = [
    {
      ...{ label: 'Add stake', title: 'Put USDC at stake', verb: 'Add stake', busy: 'Adding', done: 'It is at stake.' },
      fields: [
        {
          name: 'amount_usdc',
          label: 'Amount in USDC',
          inputmode: 'decimal',
          pattern: '\\d+([.]\\d{1,6})?',
          required: true,
          hint: 'It leaves the wallet, and is lost in half when duties are missed.',
        },
      ],
      rows: [
        ['To', 'the stake of this agent, on the ledger'],
        ['From', 'the wallet of this node'],
      ],
      run: (values, key) => post('stake/add', key, values),
    },
    state === 'active' && {
      ...{
        label: 'Ask to leave',
        title: 'Ask to leave?',
        verb: 'Ask to leave',
        busy: 'Asking',
        done: 'Asked. The stake can be taken back later.',
      },
      rows: [['Stake', sum]],
      words: ['Duties end with the batch of this epoch. The stake can be taken back once the time is over.'],
      run: (_, key) => post('stake/unlock', key),
    },
    (state === 'leaving' || state === 'suspended') && {
      ...{
        label: 'Take duties on again',
        title: 'Take the duties on again?',
        verb: 'Resume',
        busy: 'Resuming',
        done: 'The duties are on again.',
      },
      rows: [['Stake', sum]],
      run: (_, key) => post('stake/resume', key),
    },
    state === 'leaving' && {
      ...{
        label: `Take back ${usdc(held)}`,
        title: `Take ${sum} back?`,
        verb: `Take back ${sum}`,
        busy: 'Taking back',
        done: 'Taken back.',
      },
      rows: [
        ['Amount', sum],
        ['To', 'the wallet of this node'],
      ],
      words: [FINAL],
      run: (_, key) => post('stake/withdraw', key),
    },
  ].filter(Boolean);
  return h(
    'div',
    { class: 'stack tight' },
    facts([
      [
        'State',
        h(
          'span',
          { class: `tag ${{ active: 'ok', suspended: 'bad', leaving: 'act' }[state] ?? ''}` },
          clean(state, 20),
        ),
      ],
      ['Stake', sum],
      ['Duties', duties ? 'a batch each epoch' : 'none'],
      ['Epoch', epoch],
      ['Last batch', last > 0 && `epoch ${last}`],
      ['Missed', skipped.length > 0 && h('span', { class: 'bad' }, count(skipped.length, 'epoch'))],
      ['Can be taken back', unlock && time(unlock.withdrawable_at, fullMoment(unlock.withdrawable_at))],
      ['Waits for', unlock?.waits_for.length > 0 && unlock.waits_for.join(', ')],
    ]),
    warned(warnings),
    h(
      'p',
      { class: 'row' },
      steps.map((step) => h('button', { type: 'button', 'data-key': step.label, onclick: open(step) }, step.label)),
    ),
  );
}

function drawLease(found, place, after) {
  const {
    status,
    epoch,
    paid_through: through,
    due,
    automatic,
    spent_usdc: spent,
    budget_usdc: budget,
    warnings,
  } = found;
  const pay = () =>
    place.open({
      ...{ title: `Pay ${amount(due.amount_usdc)} USDC for the lease?`, verb: `Pay ${amount(due.amount_usdc)} USDC` },
      ...{ busy: 'Paying', done: 'The lease is paid.', words: [FINAL] },
      rows: [
        ['Amount', `${amount(due.amount_usdc)} USDC`],
        ['For', count(due.epochs, 'epoch')],
        ['To', 'the lease of this agent, on the ledger'],
        ['From', 'the wallet of this node'],
      ],
      run: (_, key) => post('lease/pay', key, { max_usdc: due.amount_usdc }).then(after),
    });
  return h(
    'div',
    { class: 'stack tight' },
    facts([
      ['State', clean(status, 20)],
      ['Epoch', epoch],
      ['Paid through', through > 0 && `epoch ${through}`],
      ['Due', due ? `${amount(due.amount_usdc)} USDC for ${count(due.epochs, 'epoch')}` : 'nothing'],
      ['Paid by itself', automatic ? 'yes' : 'no'],
      ['Spent', `${amount(spent)} of ${amount(budget)} USDC`],
    ]),
    warned(warnings),
    due &&
      h('p', {}, h('button', { type: 'button', 'data-key': 'lease', onclick: pay }, `Pay ${amount(due.amount_usdc)}`)),
  );
}

function warned(warnings) {
  return warnings.map((text) => h('p', { class: 'banner' }, clean(text, 300)));
}

function drawAccusations(found) {
  return table({
    name: 'Accusations',
    rows: found,
    columns: [
      { head: 'Accused', is: 'name', cell: ({ agent_id: id }) => agentLink(id) },
      {
        head: 'State',
        cell: ({ state }) => h('span', { class: `tag ${state === 'convicted' ? 'bad' : ''}` }, clean(state, 20)),
      },
      { head: 'Epoch', num: true, cell: ({ epoch }) => String(epoch) },
      { head: 'When', cell: ({ accused_at: at }) => time(at, fullMoment(at)) },
    ],
  });
}

function drawCases(found) {
  const cases = found.cases ?? found;
  if (cases.length === 0) return empty('No deal names this agent as its notary.');
  return table({
    name: 'Cases',
    rows: cases,
    columns: [
      { head: 'Requester', is: 'name', cell: ({ requester }) => agentLink(requester) },
      { head: 'Provider', cell: ({ provider }) => agentLink(provider) },
      { head: 'Verdict', cell: ({ verdict }) => (verdict ? clean(verdict.outcome, 20) : 'none yet') },
      { head: 'Escrow', cell: ({ escrow }) => escrow && clean(escrow.state, 20) },
    ],
  });
}
