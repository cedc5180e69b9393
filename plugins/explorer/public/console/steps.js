// The steps that a deal allows, by the API's own word: each as a button, and as the panel behind it.
import { call } from '../data.js';
import { h } from '../dom.js';
import { clean, decimal, grouped, usdc } from '../format.js';
import { agentLink } from '../parts.js';
import { isOwnOffer } from './deal-words.js';
import { LEDGER_PATIENCE } from './panel.js';

const FINAL = 'This cannot be taken back.';
const amountField = (value) => ({
  ...{ name: 'amount_usdc', label: 'Amount in USDC', required: true, inputmode: 'decimal', value },
  ...{ pattern: '\\d+([.]\\d{1,6})?', maxlength: 20 },
});
const reasonField = (label, hint) => ({ name: 'reason', label, hint, kind: 'textarea', maxlength: 4_096 });
const percentField = (label, hint, value) => ({
  ...{ name: 'percent', label, hint, kind: 'number', min: 0, max: 100, step: 0.01, required: true, value },
});
const basisPoints = (percent) => Math.round(Number(percent) * 100);

/** A step that only names its deal: `take('escrow/claim')`. `more` are members of its body. */
const take = (path, deal, more = {}, key) =>
  call('POST', path, {
    body: { conversation_id: deal.conversation_id, ...more },
    headers: key && { 'idempotency-key': key },
    patience: LEDGER_PATIENCE,
  });

/** Leaves out what was not filled in. */
const filled = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

const amountOf = (deal) => usdc(deal.amount_usdc_micro);
const bondOf = (deal) => (deal.bond_usdc_micro > 0 ? usdc(deal.bond_usdc_micro) : undefined);
const withBond = (deal) => (bondOf(deal) ? [`${bondOf(deal)} USDC of it are the bond.`] : []);
const money = (micro) => `${usdc(micro)} USDC`;
const locks = (deal) => BigInt(deal.amount_usdc_micro) + BigInt(deal.bond_usdc_micro);

/** The other side with the whole of its wallet, which is the same key: a look-alike shows in the middle. */
const person = (id) => [agentLink(id, { size: 'mid' }), ' ', h('code', { class: 'bytes' }, grouped(id))];
const payee = (deal) => ['To', person(deal.provider)];
const own = 'the wallet of this node';

const STEPS = {
  accept: (deal) => ({
    ...{ label: 'Accept', look: 'primary', busy: 'Accepting', done: 'Accepted. Both sides are bound now.' },
    title: `Accept this offer for ${amountOf(deal)} USDC?`,
    rows: [['With', person(deal.counterparty)]],
    words: deal.risk?.texts.map((text) => clean(text, 300)) ?? [],
    verb: 'Accept',
    run: (_, key) => take('negotiate/accept', deal, {}, key),
  }),
  counter: (deal) => ({
    ...{ label: 'Counter', busy: 'Sending', done: 'The counter-offer is on its way.' },
    title: 'Answer with another offer',
    fields: [
      amountField(deal.amount_usdc),
      { name: 'message', label: 'Message', kind: 'textarea', maxlength: 4_096, hint: 'Left empty, the work stays.' },
    ],
    verb: 'Send the counter-offer',
    run: (values, key) => take('negotiate/counter', deal, filled(values), key),
  }),
  reject: (deal) => {
    const mine = isOwnOffer(deal);
    const label = mine ? 'Withdraw' : 'Decline';
    return {
      ...{ label, look: 'quiet', busy: mine ? 'Withdrawing' : 'Declining', verb: `${label} the offer` },
      title: mine ? 'Withdraw your offer?' : 'Decline this offer?',
      fields: [reasonField('Reason', 'The other side reads it. It may be left out.')],
      run: (values, key) => take('negotiate/reject', deal, filled(values), key),
      done: mine ? 'Withdrawn.' : 'Declined.',
    };
  },
  lock: (deal) => ({
    ...{ label: `Lock ${amountOf(deal)}`, look: 'primary', busy: 'Locking', done: 'Locked. The provider can begin.' },
    title: `Lock ${money(locks(deal))} for this deal?`,
    rows: [
      ['Amount', money(deal.amount_usdc_micro)],
      ['Bond, which comes back', bondOf(deal) && `${bondOf(deal)} USDC`],
      payee(deal),
      ['From', own],
    ],
    words: ['It stands in the escrow of the deal. Only its rules move it from there.', FINAL],
    verb: `Lock ${money(locks(deal))}`,
    run: () => take('escrow/lock', deal),
  }),
  pay: (deal) => ({
    ...{ label: 'Pay without escrow', busy: 'Paying', done: 'Paid.' },
    title: `Pay ${amountOf(deal)} USDC?`,
    rows: [['Amount', money(deal.amount_usdc_micro)], payee(deal), ['From', own]],
    words: ['Without escrow nothing holds it back if the work does not come.', FINAL],
    verb: `Pay ${amountOf(deal)} USDC`,
    run: () => call('POST', ['deals', deal.conversation_id, 'pay'], { patience: LEDGER_PATIENCE }),
  }),
  approve: (deal) => {
    const label = deal.escrow.delivered_at ? 'Release' : 'Release early';
    return {
      ...{ label: `${label} ${amountOf(deal)}`, busy: 'Releasing', done: 'Released. The provider is paid.' },
      look: deal.escrow.delivered_at ? 'primary' : '',
      title: `Release ${amountOf(deal)} USDC?`,
      rows: [['Amount', money(deal.amount_usdc_micro)], payee(deal), ['From', 'the escrow of this deal']],
      words: [deal.escrow.delivered_at ? 'Look at the work first.' : 'Nothing has been delivered yet.', FINAL],
      verb: `Release ${amountOf(deal)} USDC`,
      run: () => take('escrow/approve', deal),
    };
  },
  deliver: (deal) => ({
    ...{ label: 'Deliver', look: 'primary', busy: 'Delivering', done: 'Delivered. The other side looks at it now.' },
    title: 'Deliver the work',
    fields: [
      { name: 'content', label: 'The work, as text', kind: 'textarea', required: true, rows: 8 },
      { name: 'content_type', label: 'Its type', value: 'text/plain; charset=utf-8', maxlength: 128, required: true },
    ],
    verb: 'Deliver',
    run: (values, key) => take('deliver', deal, values, key),
  }),
  dispute: (deal) => ({
    ...{
      label: 'Dispute',
      look: 'danger',
      danger: true,
      busy: 'Disputing',
      done: 'The dispute is made. Everybody may read it.',
    },
    title: 'Dispute the delivery?',
    rows: [
      ['At stake', money(deal.amount_usdc_micro)],
      ['Against', person(deal.provider)],
    ],
    words: ['Everybody may read a dispute. It can be taken back only by paying.'],
    fields: [
      reasonField('Reason', 'The other side and a notary read it.'),
      ...(deal.escrow.locked_at
        ? [
            percentField(
              'Offer to the provider, in per cent of the amount',
              'It may be raised later, never lowered.',
              least(deal),
            ),
          ]
        : []),
    ],
    verb: 'Dispute',
    run: ({ reason, percent }, key) =>
      take('dispute', deal, { ...filled({ reason }), ...(percent && { offer_bps: basisPoints(percent) }) }, key),
  }),
  raise: (deal) => ({
    ...{ label: 'Raise the offer', busy: 'Raising', done: 'The offer is raised.' },
    title: 'Offer the provider more?',
    rows: [['Amount in dispute', money(deal.amount_usdc_micro)], payee(deal), ['Offered now', share(deal)]],
    fields: [percentField('Offer, in per cent of the amount', 'It never falls.', deal.escrow.offer_bps / 100)],
    words: [FINAL],
    verb: 'Raise the offer',
    run: ({ percent }) => take('escrow/dispute', deal, { offer_bps: basisPoints(percent) }),
  }),
  contest: (deal) => ({
    ...{ label: 'Contest', look: 'danger', danger: true, busy: 'Contesting', done: 'Contested.' },
    title: 'Refuse the offer of the dispute?',
    rows: [
      ['Amount in dispute', money(deal.amount_usdc_micro)],
      ['Against', person(deal.requester)],
      ['Offered', share(deal)],
    ],
    words: [deal.notary ? 'The notary decides then.' : 'Without a notary what is contested is burnt.', FINAL],
    verb: 'Contest',
    run: () => take('escrow/contest', deal, { max_bps: deal.escrow.offer_bps ?? 9_999 }),
  }),
  refund: (deal) => ({
    ...{ label: 'Give back', look: 'quiet', danger: true, busy: 'Giving back', done: 'Given back.' },
    title: `Give ${money(locks(deal))} back?`,
    rows: [
      ['Amount', money(locks(deal))],
      ['To', person(deal.requester)],
      ['From', 'the escrow of this deal'],
    ],
    words: [...withBond(deal), FINAL],
    verb: `Give back ${money(locks(deal))}`,
    run: () => take('escrow/refund', deal),
  }),
  reclaim: (deal) => ({
    ...{ label: 'Take back', look: 'primary', busy: 'Taking back', done: 'Taken back.' },
    title: `Take ${money(locks(deal))} back?`,
    rows: [
      ['Amount', money(locks(deal))],
      ['To', person(deal.requester)],
      ['From', 'the escrow of this deal'],
    ],
    words: ['The work was not delivered in time.', ...withBond(deal), FINAL],
    verb: `Take back ${money(locks(deal))}`,
    run: () => take('escrow/reclaim', deal),
  }),
  claim: (deal) => ({
    ...{ label: `Claim ${amountOf(deal)}`, look: 'primary', busy: 'Claiming', done: 'Claimed.' },
    title: `Claim ${amountOf(deal)} USDC?`,
    rows: [['Amount', money(deal.amount_usdc_micro)], payee(deal), ['From', 'the escrow of this deal']],
    words: ['The review is over, and nobody objected.', FINAL],
    verb: `Claim ${amountOf(deal)} USDC`,
    run: () => take('escrow/claim', deal),
  }),
  split: (deal) => ({
    ...{ label: 'Pay out', look: 'primary', busy: 'Paying out', done: 'Paid out by the rules of the dispute.' },
    title: 'Have the ledger pay out?',
    rows: [['Amount', money(locks(deal))], payee(deal), ['And to', person(deal.requester)], ['Offer', share(deal)]],
    words: ['The offer stands, or what was contested is burnt.', FINAL],
    verb: 'Pay out',
    run: () => take('escrow/split', deal),
  }),
  verdict: (deal) => ({
    ...{ label: 'Give a verdict', look: 'primary', busy: 'Sending', done: 'The verdict is on its way.' },
    title: 'Your verdict as notary',
    rows: [['Amount', money(deal.amount_usdc_micro)], payee(deal)],
    fields: [outcomeField, reasonField('Reason', 'Both sides read it.')],
    words: [FINAL],
    verb: 'Give the verdict',
    run: (values, key) => take('verdict', deal, filled(values), key),
  }),
  decide: (deal) => ({
    ...{ label: 'Decide', look: 'primary', busy: 'Deciding', done: 'Decided.' },
    title: 'Decide the contested escrow?',
    rows: [['Amount', money(deal.amount_usdc_micro)], payee(deal), ['Or to', person(deal.requester)]],
    fields: [outcomeField],
    words: [FINAL],
    verb: 'Decide',
    run: ({ outcome }) => take('notarize/decide', deal, { outcome }),
  }),
  feedback: (deal) => ({
    ...{ label: 'Rate', busy: 'Rating', done: 'Rated. Everybody may read it.' },
    title: 'Rate the other side',
    rows: [['Whom', person(deal.counterparty)]],
    fields: [
      {
        ...{ name: 'score', label: 'Score, from \u2212100 to 100', kind: 'number', min: -100, max: 100, step: 1 },
        ...{ value: 80, required: true, hint: 'It counts by the money of the deal, and stays.' },
      },
    ],
    words: [FINAL],
    verb: 'Rate',
    run: ({ score }, key) => take('feedback', deal, { score: Number(score) }, key),
  }),
};

const outcomeField = {
  ...{ name: 'outcome', label: 'For whom', kind: 'select' },
  options: [
    ['approve', 'the provider: the delivery is as agreed'],
    ['reject', 'the requester: it is not'],
  ],
};

/** The steps of a deal in the order of the API: `{ action, label, look, reason, panel }`; one with a reason cannot be taken. */
export function stepsOf(deal) {
  const allowed = deal.allowed_actions.map((action) => stepOf(deal, action));
  const not = (deal.unavailable_actions ?? []).map(({ action, reason }) => ({ ...stepOf(deal, action), reason }));
  return [...allowed, ...not];
}

/** A step that this page does not know by name is still told. */
function stepOf(deal, action) {
  const known = Object.hasOwn(STEPS, action) ? STEPS[action](deal) : undefined;
  if (!known)
    return { action, label: clean(action, 24), reason: 'This page does not know this step; the API takes it.' };
  return { action, label: known.label, look: known.look, panel: known };
}

function share({ escrow }) {
  return escrow.offer_bps === undefined ? undefined : `${decimal(escrow.offer_bps / 100, 2)} % of the amount`;
}

function least(deal) {
  return deal.dispute_bps / 100;
}
