import type { DisputeOffer, EscrowOutcome, EscrowPayout, Terms, VerdictOutcome } from './deal.ts';

/**
 * An event of a deal. The caller has verified the envelope (signature, time, replay, payload schema) or read the
 * event from finalised ledger state; the functions of this folder check the rules of the deal.
 */
export type DealEvent = ProposeEvent | MessageEvent | LedgerEvent;

interface Signed {
  /** The envelope's id; for ledger events any name that is unique and stable, such as `signature:index`. */
  readonly id: string;
  /** The key that signed; for ledger events the sender of the transaction. */
  readonly by: string;
  /** The envelope's signed time, or the block time. */
  readonly at: number;
}

/** A signed message with its public part: the payer, and the offer or ACCEPT that it answers. Version 1 has neither. */
interface Told extends Signed {
  readonly payer?: string;
  readonly answers?: string;
}

/** Terms that an offer leaves out: from the offer before, or the defaults of a first offer. */
export type OfferedTerms = Pick<Terms, 'amount'> & Partial<Terms>;

export interface ProposeEvent extends Told {
  readonly type: 'propose';
  readonly conversation: string;
  readonly to: string;
  /** The role that the proposer offers to take; `provider` when it answers a bounty. Default `requester`. */
  readonly as?: 'requester' | 'provider';
  readonly terms: OfferedTerms;
  readonly max_rounds?: number;
}

export type MessageEvent =
  | (Told & { readonly type: 'counter'; readonly terms: OfferedTerms })
  | (Told & { readonly type: 'accept'; readonly offer: string; readonly amount: string })
  | (Told & { readonly type: 'reject'; readonly offer?: string })
  | (Told & { readonly type: 'deliver' })
  | (Told & { readonly type: 'dispute' } & DisputeOffer)
  | (Told & { readonly type: 'verdict'; readonly outcome: VerdictOutcome });

export type LedgerEvent =
  /** A finalised USDC transfer to the provider whose memo names this deal. */
  | (Signed & { readonly type: 'paid'; readonly amount: string })
  /** The escrow account exists, finalised, and equals the agreed terms in every field. */
  | (Signed & { readonly type: 'locked'; readonly dispute_secs?: number })
  | (Signed & { readonly type: 'escrow_delivered'; readonly delivery: string })
  /** Again with a higher offer when it was raised. */
  | (Signed & { readonly type: 'escrow_disputed'; readonly offer_bps: number })
  | (Signed & { readonly type: 'escrow_contested'; readonly offer_bps: number })
  /** The end. `split` after the end: what had to wait was paid. */
  | (Signed & { readonly type: EscrowOutcome } & EscrowPayout);

/** An action of a party or the notary, named after the route or ledger step that performs it. */
export type Action =
  | 'counter'
  | 'accept'
  | 'reject'
  | 'deliver'
  | 'dispute'
  | 'raise'
  | 'contest'
  | 'decide'
  | 'verdict'
  | 'pay'
  | 'lock'
  | 'approve'
  | 'refund'
  | 'claim'
  | 'split'
  | 'reclaim'
  | 'feedback';
