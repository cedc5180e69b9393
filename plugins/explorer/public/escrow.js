import { h } from './dom.js';
import { duration, usdc } from './format.js';
import { agentLink, briefId, facts, time } from './parts.js';
import { escrowState } from './sentences.js';

const OPEN = new Set(['locked', 'delivered', 'disputed', 'contested']);

/** The escrow of a conversation; several can be locked under one id. */
export function escrowFacts(escrow, many) {
  const { payouts } = escrow;
  const paid = (micro) => (BigInt(micro) > 0n ? `${usdc(micro)} USDC` : undefined);
  return h(
    'section',
    { 'aria-label': 'Escrow' },
    h(
      'div',
      { class: 'hd' },
      h('h2', {}, 'Escrow'),
      h('span', { class: 'meta' }, many > 1 && 'one of several under this id'),
    ),
    facts([
      ['State', escrowState(escrow.state)],
      ['Payer', many > 1 && agentLink(escrow.requester)],
      ['Worker', many > 1 && agentLink(escrow.provider)],
      ['Amount', `${usdc(escrow.amount_usdc_micro)} USDC`],
      ['Bond', paid(escrow.bond_usdc_micro)],
      ['To the worker', paid(payouts.to_provider_usdc_micro)],
      ['Back to the payer', paid(payouts.to_requester_usdc_micro)],
      ['Burnt', paid(payouts.burnt_usdc_micro)],
      ['Waiting', escrow.waiting_usdc_micro && paid(escrow.waiting_usdc_micro)],
      ['Locked', time(escrow.locked_at)],
      [OPEN.has(escrow.state) ? 'Deliver by' : 'Was due', time(escrow.deadline_at)],
      ['Delivered', escrow.delivered_at && time(escrow.delivered_at)],
      ['Disputed', escrow.disputed_at && time(escrow.disputed_at)],
      ['Asked for', escrow.offer_bps !== undefined && `${escrow.offer_bps / 100} % for the worker`],
      ['Ended', escrow.closed_at && time(escrow.closed_at)],
      ['Review', duration(escrow.review_secs * 1_000)],
      ['Notary', escrow.notary ? agentLink(escrow.notary) : 'none'],
      ['Agreed in', briefId(escrow.terms, 'id of the ACCEPT')],
      ['Account read at slot', escrow.confirmed_slot ?? 'not since the last event'],
    ]),
  );
}
