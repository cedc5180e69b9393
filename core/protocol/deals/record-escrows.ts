import type { EscrowOutcome } from './deal.ts';

/** A lock, as the ledger reported it. Times are Unix milliseconds, amounts are digits of minor units. */
export interface Lock {
  readonly requester: string;
  readonly provider: string;
  readonly notary: string | null;
  readonly at: number;
  readonly deadline: number;
  /** Absent in records written before locks were compared with what was agreed; such a lock is never the agreed one. */
  readonly amount?: string;
  readonly bond?: string;
  readonly review_secs?: number;
  readonly dispute_bps?: number;
}

export interface Closing {
  readonly outcome: EscrowOutcome;
  readonly at: number;
  /**
   * Minor units, as digits, that were paid to the provider and burnt so far. Absent in records from before ratings
   * followed the money.
   */
  readonly released?: string;
  readonly burnt?: string;
  /** The dispute that came before the end; absent where there was none. */
  readonly dispute?: DisputeEnd;
}

export interface DisputeEnd {
  readonly offer_bps: number;
  /** Whether the provider refused the offer. */
  readonly contested: boolean;
  /** Whether the notary decided for the provider; null when it decided nothing. */
  readonly for_provider: boolean | null;
  readonly burnt: string;
}

/** Identifies one lock of a conversation: the ACCEPT that the requester named, the time and the amount. */
interface EscrowMark {
  readonly terms: string;
  readonly locked_at: number;
  readonly amount: string;
}

/** Records written before escrows were told apart by their moment have none, and no amount. */
export interface RecordedEscrow {
  readonly terms: string;
  readonly locked_at?: number;
  readonly amount?: string;
  readonly lock: Lock | null;
  /** Whether the provider named a delivery for it on the ledger, and so took it for its own. */
  readonly delivered?: boolean;
  readonly closed: Closing | null;
}

export type EscrowFact =
  | (EscrowMark & { readonly type: 'locked'; readonly lock: Lock })
  | (EscrowMark & { readonly type: 'escrow_delivered' })
  | (EscrowMark & Closing & { readonly type: 'closed' });

/**
 * A requester can lock and get back small sums again and again under one conversation. The largest locks stay,
 * whatever the order in which they were reported: pushing one out takes eight locks that hold more.
 */
const MAX_ESCROWS = 8;

export function withEscrowFact(escrows: readonly RecordedEscrow[], fact: EscrowFact): RecordedEscrow[] {
  const { terms, locked_at, amount } = fact;
  const held = escrows.find((escrow) => isMarked(escrow, fact));
  const grown = grownBy(held ?? { terms, locked_at, amount, lock: null, closed: null }, fact);
  return [...escrows.filter((escrow) => escrow !== held), grown].sort(byWeight).slice(0, MAX_ESCROWS);
}

function grownBy(held: RecordedEscrow, fact: EscrowFact): RecordedEscrow {
  switch (fact.type) {
    case 'locked':
      return { ...held, lock: held.lock ?? fact.lock };
    case 'escrow_delivered':
      return { ...held, delivered: true };
    case 'closed': {
      const { outcome, at, dispute } = held.closed ?? fact;
      const { released, burnt } = fact;
      const paid = { ...(released !== undefined && { released }), ...(burnt !== undefined && { burnt }) };
      return { ...held, closed: { ...held.closed, outcome, at, ...paid, ...(dispute && { dispute }) } };
    }
  }
}

function isMarked(escrow: RecordedEscrow, { terms, locked_at, amount }: EscrowMark): boolean {
  return escrow.terms === terms && lockedAtOf(escrow) === locked_at && (escrow.amount ?? amount) === amount;
}

function lockedAtOf({ lock, locked_at }: RecordedEscrow): number | undefined {
  return locked_at ?? lock?.at;
}

function byWeight(one: RecordedEscrow, other: RecordedEscrow): number {
  const [held, more] = [BigInt(one.amount ?? '0'), BigInt(other.amount ?? '0')];
  if (held !== more) return held > more ? -1 : 1;
  if (one.terms !== other.terms) return one.terms < other.terms ? -1 : 1;
  return (lockedAtOf(one) ?? 0) - (lockedAtOf(other) ?? 0);
}
