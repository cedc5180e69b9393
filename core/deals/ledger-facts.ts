import { type Deal, type Escrow, lastOffer, MAX_PAYMENTS } from './deal.ts';
import type { LedgerEvent } from './events.ts';
import { type Ruling, refuse, tooEarly } from './step.ts';

/**
 * What the ledger adds to a deal. Locked money moves by the escrow alone, so plain payments count only while nothing
 * is locked. A refused ledger event loses no money: it is on the ledger, and the refusal says why it moves no deal.
 */
export function ruleLedger(deal: Deal, event: LedgerEvent): Ruling {
  if (!deal.accepted) return tooEarly('the deal is not accepted');
  if (event.type === 'paid') return rulePayment(deal, event.amount);
  if (event.type === 'locked') return ruleLock(deal, event.at);
  if (!deal.escrow) return tooEarly('nothing is locked for this deal');
  if (deal.escrow.outcome) return refuse('the escrow is closed');
  if (event.type === 'escrow_delivered' && deal.escrow.delivered_at !== null)
    return refuse('the delivery is on the ledger');
  if (event.type === 'escrow_disputed' && deal.escrow.disputed_at !== null)
    return refuse('the dispute is on the ledger');
  return { add: { escrow: { ...deal.escrow, ...escrowFact(event) } } };
}

function rulePayment(deal: Deal, amount: string): Ruling {
  if (!/^[1-9]\d{0,18}$/.test(amount)) return refuse('a payment has a positive amount');
  if (lastOffer(deal).amount === '0') return refuse('nothing is owed');
  if (deal.escrow) return refuse('the amount is locked in escrow');
  if (deal.payments >= MAX_PAYMENTS) return refuse(`a deal counts at most ${MAX_PAYMENTS} payments`);
  return { add: { paid: (BigInt(deal.paid) + BigInt(amount)).toString(), payments: deal.payments + 1 } };
}

function ruleLock(deal: Deal, at: number): Ruling {
  if (deal.escrow) return refuse('the escrow is locked');
  if (lastOffer(deal).amount === '0') return refuse('nothing is owed');
  const escrow: Escrow = { locked_at: at, delivered_at: null, delivery: null, disputed_at: null, outcome: null };
  return { add: { escrow } };
}

function escrowFact(event: Exclude<LedgerEvent, { type: 'paid' | 'locked' }>): Partial<Escrow> {
  switch (event.type) {
    case 'escrow_delivered':
      return { delivered_at: event.at, delivery: event.delivery };
    case 'escrow_disputed':
      return { disputed_at: event.at };
    default:
      return { outcome: event.type };
  }
}
