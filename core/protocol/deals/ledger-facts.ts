import { type Deal, DISPUTE_SECS, type Escrow, type EscrowPayout, lastOffer, MAX_PAYMENTS } from './deal.ts';
import type { LedgerEvent } from './events.ts';
import { type Ruling, refuse, tooEarly } from './step.ts';

type Locked = Extract<LedgerEvent, { type: 'locked' }>;
type OfEscrow = Exclude<LedgerEvent, { type: 'paid' | 'locked' }>;

/**
 * Rules on an event of the ledger. The escrow alone moves locked money, so plain payments count only while nothing is
 * locked. A refused event loses no money: it stays on the ledger, and the refusal says why the deal is as before.
 */
export function ruleLedger(deal: Deal, event: LedgerEvent): Ruling {
  if (!deal.accepted) return tooEarly('the deal is not accepted');
  if (event.type === 'paid') return rulePayment(deal, event.amount);
  if (event.type === 'locked') return ruleLock(deal, event);
  if (!deal.escrow) return tooEarly('nothing is locked for this deal');
  return ruleEscrow(deal.escrow, event);
}

function rulePayment(deal: Deal, amount: string): Ruling {
  if (!/^[1-9]\d{0,18}$/.test(amount)) return refuse('a payment has a positive amount');
  if (lastOffer(deal).amount === '0') return refuse('nothing is owed');
  if (deal.escrow) return refuse('the amount is locked in escrow');
  const paid = BigInt(deal.paid) + BigInt(amount);
  // Anybody can send dust: the last place is kept for the payment that completes what is owed.
  const places = paid < BigInt(lastOffer(deal).amount) ? MAX_PAYMENTS - 1 : MAX_PAYMENTS;
  if (deal.payments >= places) return refuse(`a deal counts at most ${MAX_PAYMENTS} payments, the last to complete it`);
  return { add: { paid: paid.toString(), payments: deal.payments + 1 } };
}

function ruleLock(deal: Deal, { at, dispute_secs = DISPUTE_SECS }: Locked): Ruling {
  if (deal.escrow) return refuse('the escrow is locked');
  const { amount, bond } = lastOffer(deal);
  if (amount === '0') return refuse('nothing is owed');
  const escrow: Escrow = {
    locked_at: at,
    delivered_at: null,
    delivery: null,
    disputed_at: null,
    offer_bps: null,
    contested_at: null,
    dispute_secs,
    outcome: null,
    to_provider: '0',
    to_requester: '0',
    burnt: '0',
    remaining: (BigInt(amount) + BigInt(bond)).toString(),
  };
  return { add: { escrow } };
}

function ruleEscrow(escrow: Escrow, event: OfEscrow): Ruling {
  if (escrow.outcome) return event.type === 'split' ? ruleRest(escrow, event) : refuse('the escrow is closed');
  switch (event.type) {
    case 'escrow_delivered':
      if (escrow.delivered_at !== null) return refuse('the delivery is on the ledger');
      return grown(escrow, { delivered_at: event.at, delivery: event.delivery });
    case 'escrow_disputed':
      return ruleDisputed(escrow, event);
    case 'escrow_contested':
      if (isContested(escrow)) return refuse('the contest is on the ledger');
      // The ledger forgets when a contested escrow was disputed.
      return grown(escrow, {
        disputed_at: escrow.disputed_at ?? event.at,
        offer_bps: event.offer_bps,
        contested_at: event.at,
      });
    default:
      return grown(escrow, { outcome: event.type, ...payoutOf(event) });
  }
}

/** A raise is told by the offer alone: its line in the history would be one of ten thousand. */
function ruleDisputed(escrow: Escrow, { at, offer_bps }: Extract<OfEscrow, { type: 'escrow_disputed' }>): Ruling {
  if (escrow.disputed_at === null) return grown(escrow, { disputed_at: at, offer_bps });
  if (isContested(escrow) || offer_bps <= (escrow.offer_bps ?? 0)) return refuse('the dispute is on the ledger');
  return { ...grown(escrow, { offer_bps }), untold: true };
}

/** Counts a payout of `remaining`, in whole or in part, after the escrow has ended. */
function ruleRest(escrow: Escrow, event: EscrowPayout): Ruling {
  if (BigInt(event.remaining) >= BigInt(escrow.remaining ?? 0)) return refuse('the escrow is closed');
  const sum = (one: string, more: string) => (BigInt(one) + BigInt(more)).toString();
  const paid = {
    to_provider: sum(escrow.to_provider, event.to_provider),
    to_requester: sum(escrow.to_requester, event.to_requester),
    burnt: sum(escrow.burnt, event.burnt),
    remaining: event.remaining,
  };
  return { ...grown(escrow, paid), untold: true };
}

function grown(escrow: Escrow, facts: Partial<Escrow>): { readonly add: Partial<Deal> } {
  return { add: { escrow: { ...escrow, ...facts } } };
}

function payoutOf({ to_provider, to_requester, burnt, remaining }: EscrowPayout): EscrowPayout {
  return { to_provider, to_requester, burnt, remaining };
}

/** An escrow stored before contests could be made has no such field. */
function isContested({ contested_at }: Escrow): boolean {
  return (contested_at ?? null) !== null;
}
