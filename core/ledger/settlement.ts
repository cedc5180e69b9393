import type { AccusationAccount, AgentAccount, EscrowAccount, OwnerLink } from '../protocol/settlement/accounts.ts';
import type { EventPage } from '../protocol/settlement/events.ts';
import type { SettlementNumbers } from '../protocol/settlement/numbers.ts';
import type { EscrowName, SettlementStep } from '../protocol/settlement/steps.ts';
import type { PreparedTransaction, Signer } from './ledger.ts';

/**
 * The settlement program behind the ledger: escrow, lease, stake, behavior batches, accusations, slashes and
 * owner links (docs/program.md). Keys, wallets and token accounts are base58 text; ids, roots and conversations
 * lower-case hex; amounts bigint minor units; moments Unix seconds by the ledger's clock; epochs integers. Everything
 * read is finalised.
 *
 * A node of the ledger can lag behind. Callers that decide by their reads use the plural forms: these name the slot
 * of the answer, and fail with `ledger_unavailable` rather than answer from before the slot `atLeast`.
 */
export interface Settlement {
  readonly deployment: Deployment;
  readonly numbers: SettlementNumbers;
  /** The ledger's own clock, which alone decides deadlines and epochs on the ledger. */
  time(): Promise<LedgerTime>;

  /** For showing. Undefined when nothing is locked, or the escrow has ended: then only its events tell how. */
  escrow(name: EscrowName): Promise<EscrowAccount | undefined>;
  /** Several at once; at most 100. Undefined for those that do not exist. */
  escrows(names: readonly EscrowName[], atLeast?: number): Promise<Reading<readonly (EscrowAccount | undefined)[]>>;
  /** Where an escrow of that name is, whether or not it exists. */
  escrowAddress(name: EscrowName): EscrowAddress;
  /** The associated USDC account of a wallet, whether or not it exists. */
  tokenAccount(wallet: string): string;
  agent(key: string): Promise<AgentAccount | undefined>;
  /** Several at once; at most 100. Undefined for those that have no account. */
  agents(keys: readonly string[], atLeast?: number): Promise<Reading<readonly (AgentAccount | undefined)[]>>;
  /** `id` is the id of the accused header. */
  accusation(key: string, id: string): Promise<AccusationAccount | undefined>;
  /** Several at once; at most 100. Undefined for those that are not open: never made, answered, or decided. */
  accusations(
    of: readonly AccusationName[],
    atLeast?: number,
  ): Promise<Reading<readonly (AccusationAccount | undefined)[]>>;
  ownerLink(key: string): Promise<OwnerLink | undefined>;

  /**
   * Builds and signs the transaction of one step; nothing is sent: record it first, then `Ledger.submit` it. It
   * carries all else that the step needs (missing token accounts of those who are paid, the proof by the Ed25519
   * program, compute budget and priority fee). The first signer pays fees and rent; the others sign too where the
   * step needs them. A step that the ledger's present state would refuse fails here with the code of that refusal
   * (refusal.ts), such as `escrow_not_found` or `deadline_not_reached`; a lack of USDC or SOL fails with
   * `insufficient_funds`.
   */
  prepare(step: SettlementStep, signers: readonly [Signer, ...Signer[]]): Promise<PreparedTransaction>;

  /**
   * The events under this config, oldest first, each once: the page behind `after` (the cursor of the page before;
   * undefined begins with the oldest history the ledger still has). A transaction with logs cut short, or history
   * that the ledger no longer has, is reported as a gap in its place, never skipped silently. A page ends behind a
   * whole transaction, so it can hold a few entries more than `limit` (1 to 1,000).
   */
  events(after: string | undefined, limit: number): Promise<EventPage>;
  /** The same of a single escrow and nothing else; it may have been locked and ended more than once. */
  escrowEvents(name: EscrowName, after: string | undefined, limit: number): Promise<EventPage>;
}

/** A value as it was finalised at that slot. */
export interface Reading<T> {
  readonly slot: number;
  readonly value: T;
}

/** The accused key, and the id of the header. */
export interface AccusationName {
  readonly key: string;
  readonly id: string;
}

/** The escrow account, and the token account that holds the amount. */
export interface EscrowAddress {
  readonly address: string;
  readonly vault: string;
}

/** One deployment: the program, and the config account all its other accounts derive from. */
export interface Deployment {
  readonly programId: string;
  readonly config: string;
  /** Wallet whose token account gets leases and the rest of slashes. */
  readonly treasury: string;
  /** The network hash the config stores, 32 bytes: what every signature is bound to (PROTOCOL 1). */
  readonly network: Uint8Array;
}

export interface LedgerTime {
  readonly unixSeconds: number;
  readonly slot: number;
  readonly epoch: number;
}
