import type { EscrowName } from './steps.ts';

/** A locked payment. It exists from the lock to the end, whatever the end is. */
export interface EscrowAccount extends EscrowName {
  /** Address of the account and of the token account that holds the amount. */
  readonly address: string;
  readonly vault: string;
  readonly state: 'locked' | 'delivered' | 'disputed' | 'contested' | 'splitting';
  readonly notary: string | null;
  /** Token account that a release pays. */
  readonly payee: string;
  /** Id of the ACCEPT. */
  readonly terms: string;
  /** Id of the DELIVER. */
  readonly delivery: string | null;
  readonly amount: bigint;
  readonly deadline: number;
  readonly reviewSecs: number;
  readonly lockedAt: number;
  readonly deliveredAt: number | null;
  /** When it was disputed; once contested, when that was. */
  readonly disputedAt: number | null;
  /** Minor units that the requester locked besides the amount. */
  readonly bond: bigint;
  /** The lowest share, in basis points, that a dispute may offer. */
  readonly disputeBps: number;
  /** The share that the dispute offers the provider; 0 before one. */
  readonly offerBps: number;
}

/** Stake, duties, batches and lease of one key. Never closed. */
export interface AgentAccount {
  readonly address: string;
  readonly key: string;
  /** The agent id that the key claims; readers check the claim. */
  readonly agentId: string;
  readonly state: 'none' | 'active' | 'leaving' | 'suspended';
  readonly stake: bigint;
  /** The only wallet that stake is ever paid back to; null without a stake. */
  readonly stakeOwner: string | null;
  /** The first epoch with duties, and the newest one that is settled by a batch or needed none. */
  readonly start: number;
  readonly last: number;
  readonly lastAt: number;
  readonly lastSlot: number;
  /** True while every epoch must have its batch. */
  readonly duties: boolean;
  /** Batches up to this epoch can no longer be accused. */
  readonly settledEpoch: number;
  /** While leaving: duties end with a batch of this epoch or later, and the request was made at that moment. */
  readonly until: number;
  readonly requestedAt: number;
  /** Accusations that are neither answered nor decided. */
  readonly open: number;
  /** Skipped epochs among the 32 up to `last`. */
  readonly skipped: readonly number[];
  /** The newest batches, at most 16, by epoch. */
  readonly batches: readonly SubmittedBatch[];
  /** Last epoch the lease is paid for; 0 when never paid. */
  readonly paidThrough: number;
  /** Lease payments and stakes so far: the next one names this number. */
  readonly payments: number;
}

export interface SubmittedBatch {
  readonly epoch: number;
  readonly count: number;
  readonly root: string;
  readonly submittedAt: number;
  readonly slot: number;
}

export interface AccusationAccount {
  readonly key: string;
  readonly accuser: string;
  /** Id of the header that the batch should contain at `index`. */
  readonly id: string;
  readonly root: string;
  readonly epoch: number;
  readonly index: number;
  readonly count: number;
  readonly accusedAt: number;
  readonly slot: number;
}

/** The owner of the agent behind a key. The program writes it once; no step changes or closes it. */
export interface OwnerLink {
  readonly address: string;
  readonly key: string;
  readonly agentId: string;
  readonly owner: string;
  readonly claimedAt: number;
}
