import type { Health } from '../platform/node-state.ts';
import type { Identity } from '../protocol/signer/identity.ts';
import type { AccountReads } from './account-reads.ts';
import type { ForeignTransactions } from './foreign.ts';
import type { LedgerRefusal } from './refusal.ts';
import type { Settlement } from './settlement.ts';

/**
 * The ledger: the questions and requests of a node to a Solana cluster. Addresses are base58 text, amounts
 * bigint minor units (lamports; USDC with 6 decimals). Only the adapter knows transactions; only the `Signer` knows
 * the key.
 */
export interface Ledger {
  readonly cluster: Cluster;
  /** The settlement program this ledger was configured for; undefined where none is deployed. */
  readonly settlement: Settlement | undefined;
  /** Transactions that somebody else built. */
  readonly foreign: ForeignTransactions;
  /** Accounts of programs that core knows nothing about. */
  readonly accounts: AccountReads;
  /** The newest slot, at most a few seconds old; answered from memory. 0 until the first answer of the RPC. */
  slot(): number;
  /** SOL and every SPL token account with a balance. */
  balances(owner: string): Promise<Balances>;
  /** Minor units in the owner's associated USDC account; 0n when it does not exist. */
  usdc(owner: string): Promise<bigint>;
  /** The same; undefined when the owner has no such account. */
  usdcAccount(owner: string): Promise<bigint | undefined>;
  /**
   * Builds and signs a USDC transfer to the owner's associated token account (made when missing), with a memo.
   * Nothing is sent: record the transaction first, then `submit` it. Fails with `insufficient_funds`.
   */
  prepareUsdcTransfer(transfer: UsdcTransfer, signer: Signer): Promise<PreparedTransaction>;
  /**
   * The same as a transaction of version 0 whose fee somebody else pays. That one signs too and sends it, so nothing is
   * sent here, and the ledger will know it by another signature. The owner's token account has to be there already.
   */
  prepareSponsoredUsdc(transfer: SponsoredTransfer, signer: Signer): Promise<PreparedTransaction>;
  /** The outcome of such a transaction, from the finalised history of the owner's account; sends nothing. */
  sponsoredOutcome(owner: string, sent: SponsoredSent): Promise<SponsoredOutcome>;
  /**
   * Sends it, again and again until it is confirmed (or finalised, where that is asked for) or has certainly failed or
   * expired. `pending` when that cannot be told although it can land no more. Safe to repeat after a crash.
   */
  submit(
    transaction: PreparedTransaction,
    signal?: AbortSignal,
    until?: 'confirmed' | 'finalised',
  ): Promise<TransactionOutcome>;
  /** The outcome of a transaction sent earlier; sends nothing. */
  outcome(transaction: SentTransaction): Promise<TransactionOutcome>;
  /**
   * Finalised transfers of USDC out of the owner's account with exactly this memo, newest first. Bounded: `complete` says
   * whether everything since then was looked at.
   */
  sentUsdc(owner: string, query: SentQuery): Promise<SentUsdc>;
  /**
   * Finalised USDC transfers into the owner's account, oldest first, behind the cursor of the page before. One call does
   * bounded work, so a page can be empty and have more behind it. With `payouts` what vaults of programs paid is among them; it is nobody's
   * transfer, and its memo is anybody's.
   */
  incomingUsdc(owner: string, after: string | undefined, limit: number, payouts?: boolean): Promise<IncomingPage>;
  /** A transaction that a page passed over, asked for again; undefined when it is no transfer. Rejects while it cannot be read. */
  incomingTransfer(owner: string, one: PassedOver, payouts?: boolean): Promise<IncomingTransfer | undefined>;
  /** How well the RPCs answer, from memory. */
  health(): Health;
  /** Finds out within a second whether they answer; `health` tells what it found. Never rejects. */
  look(): Promise<void>;
  close(): Promise<void>;
}

export interface Cluster {
  /** `localnet`, `devnet`, `testnet`, `mainnet-beta`, or `unknown`; from the genesis hash, never from the URL. */
  readonly name: string;
  readonly genesisHash: string;
  readonly usdcMint: string;
}

/** Signs ledger transactions that this process built itself; never bytes given by a caller. */
export interface Signer {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

/** Asks an agent's key for signatures of transactions. */
export function ledgerSigner(identity: Identity): Signer {
  return { address: identity.address, sign: (message) => identity.signTransaction(message) };
}

export interface Balances {
  readonly lamports: bigint;
  readonly tokens: readonly { readonly mint: string; readonly amount: bigint; readonly decimals: number }[];
}

export interface UsdcTransfer {
  readonly to: string;
  readonly amount: bigint;
  /** At most 200 bytes of UTF-8. */
  readonly memo: string;
}

export interface SponsoredTransfer extends UsdcTransfer {
  /** The wallet that pays the fee, signs after this agent and sends. It takes no part in the transfer. */
  readonly feePayer: string;
}

export interface PreparedTransaction {
  readonly signature: string;
  /** Base64 wire bytes. */
  readonly bytes: string;
  readonly lastValidBlockHeight: number;
  /** It was made after this slot, so it landed in a later one, if at all. Records of earlier versions do not say. */
  readonly madeAfter?: number;
}

/** The blockhash of a transaction, the last block in which that is taken, and the slot after which it was made. */
export interface TransactionLifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  readonly madeAfter: number;
}

/** A transaction that was sent earlier. Its bytes only help to tell why it failed. */
export type SentTransaction = Omit<PreparedTransaction, 'bytes'> & { readonly bytes?: string };

/**
 * `failed` and `expired` are certain: it has changed nothing and never will. `confirmed` is certain once finalised;
 * until then the ledger may, very rarely, take it back.
 */
export type TransactionOutcome =
  | { readonly status: 'confirmed'; readonly slot: number; readonly finalised: boolean }
  /** `refusal` where the settlement program, or a lack of funds, stopped one of its transactions. */
  | { readonly status: 'failed'; readonly code: string; readonly detail: string; readonly refusal?: LedgerRefusal }
  /** `slot`: the finalised one at which that was certain. */
  | { readonly status: 'expired'; readonly slot: number }
  | { readonly status: 'pending'; readonly lapsed?: Lapse };

/** A transaction that this agent signed for somebody else to send. */
export interface SponsoredSent {
  /** This agent's own, which is not the one that the ledger knows the transaction by. */
  readonly signature: string;
  readonly memo: string;
  readonly lastValidBlockHeight: number;
  readonly madeAfter: number;
  /** The signature that the sender says it landed under; looked at, never believed. */
  readonly told?: string;
}

/** `paid` and finalised, and `unpaid`, are certain. A lapsed `pending` one lands no more, and nobody knows whether it did. */
export type SponsoredOutcome =
  | { readonly status: 'paid'; readonly signature: string; readonly slot: number; readonly finalised: boolean }
  | { readonly status: 'unpaid'; readonly slot: number }
  | { readonly status: 'pending'; readonly lapsed: boolean };

/** It can land no more since this finalised slot, and it is not known whether it did. */
export interface Lapse {
  readonly slot: number;
  /** Why that is not known, and what helps; the middle of a sentence. */
  readonly reason: string;
}

export interface SentQuery {
  readonly memo: string;
  /** Unix seconds: older transactions are not looked at. */
  readonly since: number;
  /** The history is read at this slot or later. */
  readonly atLeast: number;
}

export interface SentUsdc {
  readonly transfers: readonly OutgoingTransfer[];
  readonly complete: boolean;
}

export interface OutgoingTransfer {
  readonly signature: string;
  /** The owner that gained most by it. */
  readonly to: string;
  readonly amount: bigint;
  readonly slot: number;
}

export interface IncomingPage {
  readonly transfers: readonly IncomingTransfer[];
  /** A transaction signature; store it with what the transfers changed. */
  readonly cursor: string | undefined;
  /** Whether the history was not read to its end. */
  readonly more: boolean;
  /** Listed by the ledger, and not to be read for some time. Keep these with the cursor, which is behind them, and ask for them again. */
  readonly passedOver: readonly PassedOver[];
}

/** A transaction that the RPCs list and do not show. */
export interface PassedOver {
  readonly signature: string;
  readonly slot: number;
}

export interface IncomingTransfer {
  readonly signature: string;
  readonly from: string;
  readonly amount: bigint;
  readonly memo: string | null;
  readonly slot: number;
}
