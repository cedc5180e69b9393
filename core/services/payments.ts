import type { SchemaTypes } from '../../schemas/types.ts';
import { guardedToken } from '../platform/token.ts';
import type { DealView, EscrowStep } from './deals.ts';

export interface Transfer {
  /**
   * Names the payment among those of this plugin: the same key again is the same payment, which lands once. 1 to 128 printable
   * ASCII characters.
   */
  readonly key: string;
  /** The address of a wallet, base58; an agent's id is one. */
  readonly to: string;
  /** Minor units of USDC: 1 USDC is 1,000,000n. */
  readonly amount: bigint;
  /** At most 200 bytes of UTF-8, for everybody to read. It cannot be that of the payment of a deal (`agent-mesh:`). */
  readonly memo?: string;
}

/** The outcome of a transfer. */
export interface Payment extends Required<Transfer> {
  readonly signature: string;
  /**
   * `pending`: recorded, and sent or about to be. `confirmed`: the ledger took it and may, very rarely, take it back. `final`: it
   * cannot. `failed`: it changed nothing and never will; the same transfer with the same key is tried anew.
   */
  readonly status: 'pending' | 'confirmed' | 'final' | 'failed';
  /** Why it failed: the ledger's word, or `expired`. */
  readonly reason?: string;
}

export interface Balances {
  /** Of SOL: 1 SOL is 1,000,000,000n. */
  readonly lamports: bigint;
  /** Minor units of USDC that can be spent: those in the associated token account. */
  readonly usdc: bigint;
}

/**
 * USDC from the wallet of this agent. The caps of the operator (`core.money`) count every payment before it is made, those of this
 * service together with all others; one that does not fit rejects with `spending_cap`, which says what is left. A
 * transaction is recorded before it is sent, so a crash neither loses nor repeats it. On a node without a ledger every call
 * rejects with `ledger_unavailable`. Needs the permission `money:spend`.
 */
export interface Payments {
  balances(): Promise<Balances>;
  /**
   * Pays, and tells how it stands: `confirmed` as a rule, after `until: 'final'` `final`, `pending` where the ledger does not answer
   * in time, `failed` where it refused. Rejects when nothing was sent: `invalid_request`, `spending_cap`, `insufficient_funds`,
   * `idempotency_mismatch` for a key that was used for another transfer, `conflict` for one whose payment ended more than 90
   * days ago.
   */
  transfer(transfer: Transfer, options?: { readonly until?: 'confirmed' | 'final' }): Promise<Payment>;
  /** The payment of a key of this plugin; undefined when nothing was sent for it. */
  find(key: string): Promise<Payment | undefined>;

  /** Pays what is owed for a deal by transfer; repeating it pays once. Resolves when the ledger has finalised it. */
  pay(conversationId: string): Promise<DealView>;
  /** Locks what the deal says, as its requester; repeating it locks once. */
  lock(request: SchemaTypes['escrow-lock-request']): Promise<EscrowStep>;
  /** Releases what is locked to the provider, as the requester. */
  approve(request: SchemaTypes['escrow-request']): Promise<EscrowStep>;
}

export const Payments = guardedToken<Payments>('payments', 'money:spend');
