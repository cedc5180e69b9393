import type { EscrowName } from './steps.ts';

/** A page of the program's history. Repeat with `cursor` until `entries` is empty; then later for what is new. */
export interface EventPage {
  readonly entries: readonly (SettlementEvent | HistoryGap)[];
  /** Where this page ends; store it in the same transaction as what the entries changed. */
  readonly cursor: string | undefined;
}

/** The part of the history that cannot be known from events any more; state must be read from the accounts. */
export interface HistoryGap {
  readonly name: 'gap';
  /**
   * `pruned`: the RPC no longer has it. `truncated`: the record of the transaction's steps was cut short.
   * `unreadable`: the RPC has it and gives no answer that can be read.
   */
  readonly reason: 'pruned' | 'truncated' | 'unreadable';
  readonly slot: number;
  readonly signature: string | null;
}

/** Where an event stands on the ledger. `signature` and `ordinal` together name it for ever. */
export interface EventPlace {
  readonly signature: string;
  /** Which of the events of its transaction, from 0. */
  readonly ordinal: number;
  readonly slot: number;
  /** Unix seconds of its block. */
  readonly time: number;
  /** The key that paid for the transaction. */
  readonly feePayer: string;
}

export type SettlementEvent = EventPlace & EventFacts;

type EscrowFacts = EscrowName & { readonly amount: bigint };
/** The payouts of one step. All payouts of an escrow add up to its amount and its bond. */
type EscrowPayout = EscrowFacts & {
  readonly toProvider: bigint;
  readonly toRequester: bigint;
  readonly burnt: bigint;
  /** Still waiting for an account that can receive. */
  readonly remaining: bigint;
};
type KeyFacts = { readonly key: string };
type AccusationFacts = KeyFacts & { readonly accuser: string; readonly id: string };

/** Named and laid out as docs/program.md says. */
export type EventFacts =
  | (EscrowFacts & {
      readonly name: 'escrow_locked';
      readonly notary: string | null;
      readonly terms: string;
      readonly deadline: number;
      readonly reviewSecs: number;
      readonly disputeBps: number;
      readonly bond: bigint;
    })
  | (EscrowFacts & { readonly name: 'payee_changed'; readonly payee: string })
  | (EscrowFacts & { readonly name: 'escrow_delivered'; readonly delivery: string })
  | (EscrowFacts & { readonly name: 'escrow_disputed'; readonly delivery: string; readonly offerBps: number })
  | (EscrowFacts & { readonly name: 'escrow_contested'; readonly offerBps: number })
  | (EscrowPayout & { readonly name: 'escrow_approved'; readonly payee: string })
  | (EscrowPayout & { readonly name: 'escrow_refunded' | 'escrow_reclaimed' })
  | (EscrowPayout & { readonly name: 'escrow_claimed'; readonly payee: string })
  | (EscrowPayout & { readonly name: 'escrow_decided'; readonly forProvider: boolean })
  /** The end of a dispute; after any other end, a payout that had to wait for an account that can receive. */
  | (EscrowPayout & { readonly name: 'escrow_split'; readonly offerBps: number })
  | (KeyFacts & { readonly name: 'agent_opened' | 'agent_id_changed'; readonly agentId: string })
  | (KeyFacts & {
      readonly name: 'lease_paid';
      readonly payer: string;
      readonly amount: bigint;
      readonly paidThrough: number;
    })
  | (KeyFacts & {
      readonly name: 'stake_added';
      readonly stakeOwner: string;
      readonly amount: bigint;
      readonly stake: bigint;
      readonly start: number;
    })
  | (KeyFacts & { readonly name: 'unlock_requested'; readonly authority: string; readonly until: number })
  | (KeyFacts & { readonly name: 'agent_resumed'; readonly stake: bigint; readonly start: number })
  | (KeyFacts & { readonly name: 'stake_withdrawn'; readonly stakeOwner: string; readonly amount: bigint })
  | (KeyFacts & {
      readonly name: 'batch_submitted';
      readonly epoch: number;
      readonly count: number;
      readonly root: string;
    })
  | (AccusationFacts & { readonly name: 'agent_accused'; readonly epoch: number; readonly index: number })
  | (AccusationFacts & { readonly name: 'accusation_answered'; readonly answerer: string })
  | (AccusationFacts & { readonly name: 'accusation_voided' })
  | (KeyFacts & {
      readonly name: 'agent_slashed';
      readonly beneficiary: string;
      readonly amount: bigint;
      readonly bounty: bigint;
      readonly stake: bigint;
      readonly epoch: number;
      readonly reason: 'inactive' | 'outside' | 'unanswered' | 'other_leaf';
    })
  | (KeyFacts & { readonly name: 'owner_claimed'; readonly agentId: string; readonly owner: string });
