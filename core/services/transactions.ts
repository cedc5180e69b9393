import { guardedToken } from '../platform/token.ts';
import type { MoneyEvent } from './history.ts';
import type { LedgerLifetime } from './ledger-accounts.ts';

/** Lamports, and units of tokens by the base58 address of their mint. */
export interface WalletAmounts {
  /** Of SOL: 1 SOL is 1,000,000,000n. Fees, rent and wrapped SOL are lamports. */
  readonly lamports?: bigint;
  readonly tokens?: Readonly<Record<string, bigint>>;
}

/** Limits of a transaction on the wallet of this agent. It may do nothing that is not named here. */
export interface TransactionTerms {
  /** The most that may leave the wallet. */
  readonly spend?: WalletAmounts;
  /** The least that must come in. */
  readonly receive?: WalletAmounts;
  /** The payer of the fee, where it is not the wallet. */
  readonly feePayer?: string;
  /** Addresses of others whose signatures it may need; they stand in it before `send`. */
  readonly cosigners?: readonly string[];
}

/** The entry of `GET /portfolio/history` for a transaction; the node adds its signature and its time. */
export type TransactionEntry = Omit<MoneyEvent, 'key' | 'signature'>;

export interface TransactionRequest extends TransactionTerms {
  /**
   * Names the step among those of this plugin: a transaction under the key lands once. Other bytes under a key are taken
   * only when the former ones certainly did not land. 1 to 128 printable ASCII characters.
   */
  readonly key: string;
  /** The wire bytes, base64. */
  readonly transaction: string;
  /** Of `send`: what the history tells once the transaction is final, whoever runs then. An aggregator has no history and leaves it out. */
  readonly entry?: TransactionEntry;
}

/** A transaction that the plugin built and others signed wholly. */
export interface RelayRequest {
  /** As of `TransactionRequest`. */
  readonly key: string;
  /** The wire bytes, base64. */
  readonly transaction: string;
  /** That it was built with: it says when the transaction can land no more. */
  readonly lifetime: LedgerLifetime;
}

/** A transaction and its effects, by a rehearsal on the ledger's present state. */
export interface TransactionReport {
  readonly feePayer: string;
  readonly signers: readonly { readonly address: string; readonly signed: boolean }[];
  /** Every program that it could call. */
  readonly programs: readonly string[];
  /** Negative when they leave the wallet. */
  readonly lamports: bigint;
  readonly tokens: Readonly<Record<string, bigint>>;
  /** Why it would not be signed, each the end of "it …"; empty when it would. */
  readonly refusals: readonly string[];
}

export interface TransactionState {
  readonly signature: string;
  /**
   * `pending`: recorded, and sent or about to be. `confirmed`: the ledger took it and may, very rarely, take it back. `final`: it
   * cannot. `failed`: it changed nothing and never will; the key is free for another one.
   */
  readonly status: 'pending' | 'confirmed' | 'final' | 'failed';
  /** Why it failed: the ledger's word, or `expired`. */
  readonly reason?: string;
}

/**
 * Transactions that a service built, signed with the wallet of this agent. Needs `money:sign:<program>` for each program that the
 * transaction names, or `money:sign:*`; the ledger's own for SOL, tokens and memos need none, and the settlement program of the mesh
 * is never called.
 *
 * Nothing is signed on trust. The transaction is decoded with its lookup tables and rehearsed, and refused with
 * `transaction_refused`, which lists why, unless all of this holds: it needs this wallet's signature and no unnamed one; its fee is paid by the
 * wallet or by `feePayer`; it ends by a blockhash; every program among its accounts is allowed; what leaves the wallet and its token
 * accounts is at most `spend`, what comes in at least `receive`; and no right over the wallet, its token accounts or its mints passes to anybody.
 * A program can behave otherwise when the transaction lands than it did in the rehearsal: grant programs that can be trusted with what
 * `spend` names.
 *
 * USDC counts against the caps of the operator (`core.money`), SOL against `ledger.maxSolPerTransaction` and
 * `ledger.maxSolPerDay`; what does not fit rejects with `spending_cap`. On a node without a ledger every call rejects with `ledger_unavailable`.
 */
export interface Transactions {
  /** Decodes and rehearses; signs nothing. */
  inspect(transaction: string, terms?: TransactionTerms): Promise<TransactionReport>;
  /**
   * Checks it and signs this wallet's place, for somebody else to send: base64. What it spends is counted at once and for 24 hours,
   * whether it is ever sent or not. Spends no USDC.
   */
  sign(request: TransactionRequest): Promise<string>;
  /**
   * Checks it, signs it, records it, sends it again and again until the ledger has it, and tells how it stands. A crash neither loses nor
   * repeats it. Rejects when nothing was sent: bytes that were sent under another key are a `conflict`, since they land once.
   */
  send(request: TransactionRequest, options?: { readonly until?: 'confirmed' | 'final' }): Promise<TransactionState>;
  /**
   * Sends a transaction for others, which this wallet does not sign, as `send` does: rehearsed and recorded first, once under its key. Every
   * program that it names needs its permission. Whoever calls this has seen to it that the transaction is one that was built here.
   */
  relay(request: RelayRequest): Promise<TransactionState>;
  /** The newest transaction of a key of this plugin; undefined when nothing was sent for it. */
  find(key: string): Promise<TransactionState | undefined>;
}

export const Transactions = guardedToken<Transactions>('transactions', 'money:sign:');
