import type { AccountQuery, FoundAccount, ProgramAccount } from '../ledger/account-reads.ts';
import type { IncomingPage, IncomingTransfer, PassedOver } from '../ledger/ledger.ts';
import type { Reading } from '../ledger/settlement.ts';
import { token } from '../platform/token.ts';

export type { AccountQuery, FoundAccount, IncomingPage, IncomingTransfer, PassedOver, ProgramAccount, Reading };

/** The balances of a wallet. */
export interface LedgerHoldings {
  readonly lamports: bigint;
  /** Every token with a balance, of both token programs; several accounts of one mint are one row. */
  readonly tokens: readonly { readonly mint: string; readonly amount: bigint; readonly decimals: number }[];
}

/** The blockhash of a transaction, the last block in which that is taken, and the slot after which it was made. */
export interface LedgerLifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  readonly madeAfter: number;
}

/**
 * Reads of the ledger that everybody can make, and the parts that a transaction is built with; nothing is signed and nothing is sent. `get` and `find` read accounts as finalised: by the word of all RPCs of the node, and never from before what
 * was believed earlier. A read that cannot be had like that rejects with `ledger_unavailable`: it says nothing about the account.
 */
export interface LedgerAccounts {
  /** `mainnet-beta`, `devnet`, `testnet`, `localnet` or `unknown`, by its genesis hash; undefined on a node without a ledger. */
  readonly cluster: string | undefined;
  /** The mint of USDC on this cluster; undefined on a node without a ledger. */
  readonly usdcMint: string | undefined;
  /** Those at up to 100 addresses (base58), at one moment that is not before the slot; null where there is none. */
  get(addresses: readonly string[], atLeast?: number): Promise<Reading<readonly (ProgramAccount | null)[]>>;
  /**
   * The same as one RPC has them confirmed: for what is shown, never for what decides about money. What `Transactions` signs is rehearsed
   * by itself.
   */
  latest(addresses: readonly string[]): Promise<readonly (ProgramAccount | null)[]>;
  /** The balances of a wallet, read like `latest`. */
  holdings(owner: string): Promise<LedgerHoldings>;
  /** The accounts of a program that match, with the part of their data that is wanted. */
  find(program: string, query: AccountQuery): Promise<Reading<readonly FoundAccount[]>>;
  /** The address that a program derives from seeds. */
  derive(program: string, seeds: readonly Uint8Array[]): string;
  /**
   * Finalised transfers of USDC into the associated token account of this wallet, oldest first, behind the cursor of the page before. One
   * call does bounded work, so a page can be empty and have more behind it. Store the cursor with what the transfers changed. Payouts of
   * escrows are among them; anybody may have written their memo.
   */
  incomingUsdc(wallet: string, after: string | undefined, limit: number): Promise<IncomingPage>;
  /** A transaction that a page passed over, asked for again; undefined when it is no transfer. Rejects while it cannot be read. */
  incomingTransfer(wallet: string, one: PassedOver): Promise<IncomingTransfer | undefined>;
  /** Minor units in the associated token account of this wallet; undefined when the wallet has none. */
  usdc(wallet: string): Promise<bigint | undefined>;
  /** For a transaction that the plugin builds: it lands within about a minute, or never. */
  lifetime(): Promise<LedgerLifetime>;
}

export const LedgerAccounts = token<LedgerAccounts>('ledger-accounts');
