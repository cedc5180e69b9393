import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import { type Deal, DISPUTE_SECS, type EscrowPayout, lastOffer } from '../../protocol/deals/deal.ts';
import type { Action } from '../../protocol/deals/events.ts';
import { judged } from '../../protocol/deals/judgement.ts';
import { deadlineOf } from '../../protocol/deals/moments.ts';
import { riskOf } from '../../protocol/deals/risk.ts';
import { nextTimer } from '../../protocol/deals/timers.ts';
import { type DealDocument, openActions } from './deal-document.ts';
import { Means } from './means.ts';

export type DealView = SchemaTypes['deal-view'];

/** A deal as its node shows it, as it stands now, with what the node can do about it with the ledger it has. */
export function dealView(
  document: DealDocument,
  self: string,
  now: number,
  ledger: Ledger | undefined,
  means = new Means(ledger),
): DealView {
  const disputeSecs = ledger?.settlement?.numbers.disputeSecs ?? DISPUTE_SECS;
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
    notary: terms.notary,
    bond_usdc: formatUsdc(BigInt(terms.bond)),
    bond_usdc_micro: amountJson(BigInt(terms.bond)),
    dispute_bps: terms.dispute_bps,
    ...(terms.acceptance !== null && { acceptance: terms.acceptance }),
    ...riskBeforeAccept(deal, self, disputeSecs),
    message: document.message,
    max_rounds: deal.max_rounds,
    deadline_secs: terms.deadline_secs,
    review_secs: terms.review_secs,
    ...(deal.accepted && { deadline: iso(deadlineOf(deal)) }),
    ...actionsOf(openActions({ ...document, deal }, self, now), means),
    next_timer: timer ? { at: iso(timer.at), kind: timer.kind } : null,
    escrow: escrowOf({ ...document, deal }),
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

/**
 * Splits the actions that the deal allows by this node's means: `allowed_actions` it can take, `unavailable_actions` it
 * cannot, each with the reason.
 */
function actionsOf(open: readonly Action[], means: Means): Pick<DealView, 'allowed_actions' | 'unavailable_actions'> {
  const unavailable = open.flatMap((action) => {
    const reason = means.lacks(action);
    return reason === undefined ? [] : [{ action, reason }];
  });
  return {
    allowed_actions: means.possible(open),
    ...(unavailable.length > 0 && { unavailable_actions: unavailable }),
  };
}

/** The amounts that the viewer risks by this offer, while it is open and promises an escrow. */
function riskBeforeAccept(deal: Deal, self: string, answer_secs: number): Pick<DealView, 'risk'> {
  const terms = lastOffer(deal);
  const open = deal.state === 'proposed' || deal.state === 'countered';
  if (!open || !terms.escrow) return {};
  const { locks, silent, worst, texts } = riskOf(terms, self === deal.provider ? 'provider' : 'requester', answer_secs);
  const [locks_usdc, silent_usdc, worst_usdc] = [locks, silent, worst].map(formatUsdc) as [string, string, string];
  return { risk: { locks_usdc, silent_usdc, worst_usdc, answer_secs, texts: [...texts] } };
}

/** Whether an escrow was agreed, and its state by the ledger. */
function escrowOf({ deal, ledger }: DealDocument): DealView['escrow'] {
  const { escrow } = deal;
  if (!escrow) return { agreed: lastOffer(deal).escrow };
  const { locked_at, delivered_at, disputed_at, outcome } = escrow;
  const contested_at = escrow.contested_at ?? null;
  return {
    agreed: lastOffer(deal).escrow,
    locked_at: iso(locked_at),
    ...(delivered_at !== null && { delivered_at: iso(delivered_at) }),
    ...(disputed_at !== null && { disputed_at: iso(disputed_at), offer_bps: escrow.offer_bps ?? 0 }),
    ...(contested_at !== null && { contested_at: iso(contested_at) }),
    ...(outcome !== null && { outcome, ...payoutOf(escrow) }),
    ...(outcome === null && ledger?.missing_since !== undefined && { missing_since: iso(ledger.missing_since) }),
  };
}

/** An escrow that ended before payouts were recorded has none. */
function payoutOf({ to_provider, to_requester, burnt, remaining }: Partial<EscrowPayout>) {
  const json = (minor = '0') => amountJson(BigInt(minor));
  if (to_provider === undefined) return {};
  return {
    to_provider_usdc_micro: json(to_provider),
    to_requester_usdc_micro: json(to_requester),
    burnt_usdc_micro: json(burnt),
    ...(remaining !== '0' && { waiting_usdc_micro: json(remaining) }),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
