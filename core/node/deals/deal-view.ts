import type { SchemaTypes } from '../../../schemas/types.ts';
import { type Deal, lastOffer } from '../../deals/deal.ts';
import { judged } from '../../deals/judgement.ts';
import { deadlineOf } from '../../deals/moments.ts';
import { nextTimer } from '../../deals/timers.ts';
import { amountJson, formatUsdc } from '../../money.ts';
import { type DealDocument, openActions } from './deal-document.ts';

export type DealView = SchemaTypes['deal-view'];

/** A deal as its node shows it, as it stands now. */
export function dealView(document: DealDocument, self: string, now: number): DealView {
  const deal = judged(document.deal, now);
  const terms = lastOffer(deal);
  const amount = BigInt(terms.amount);
  const timer = nextTimer(deal);
  return {
    conversation_id: deal.conversation,
    state: deal.state,
    ...(deal.reason && { reason: deal.reason }),
    role: self === deal.requester ? 'requester' : self === deal.provider ? 'provider' : 'notary',
    counterparty: self === deal.requester ? deal.provider : deal.requester,
    requester: deal.requester,
    provider: deal.provider,
    amount_usdc: formatUsdc(amount),
    amount_usdc_micro: amountJson(amount),
    message: document.message,
    max_rounds: deal.max_rounds,
    deadline_secs: terms.deadline_secs,
    review_secs: terms.review_secs,
    ...(deal.accepted && { deadline: iso(deadlineOf(deal)) }),
    allowed_actions: openActions({ ...document, deal }, self, now),
    next_timer: timer ? { at: iso(timer.at), kind: timer.kind } : null,
    escrow: escrowOf(deal),
    ...(document.payment && { payment: { signature: document.payment.signature, status: document.payment.status } }),
    history: deal.history.map(({ event, by, at, id }) => ({
      event,
      by,
      at: iso(at),
      ...(/^[0-9a-f]{64}$/.test(id) && { envelope_id: id }),
    })),
    created_at: iso(deal.history[0]!.at),
    updated_at: iso(document.updated_at),
  };
}

/** Whether the amount must be locked, and what the ledger says of it. */
function escrowOf(deal: Deal): DealView['escrow'] {
  const { escrow } = deal;
  if (!escrow) return { agreed: lastOffer(deal).escrow };
  const { locked_at, delivered_at, disputed_at, outcome } = escrow;
  return {
    agreed: lastOffer(deal).escrow,
    locked_at: iso(locked_at),
    ...(delivered_at !== null && { delivered_at: iso(delivered_at) }),
    ...(disputed_at !== null && { disputed_at: iso(disputed_at) }),
    ...(outcome !== null && { outcome }),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
