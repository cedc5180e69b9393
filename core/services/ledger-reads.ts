import { token } from '../platform/token.ts';

/**
 * What the ledger says about USDC, and what a transaction needs to be built; nothing is signed and nothing is sent. On a node or aggregator
 * without a ledger `cluster` is undefined and every call rejects with `ledger_unavailable`.
 */
export interface LedgerReads {
  readonly cluster: LedgerCluster | undefined;
  /**
   * Finalised transfers of USDC into the associated token account of this wallet, oldest first, behind the cursor of the page before. One
   * call does bounded work, so a page can be empty and have more behind it. Store the cursor with what the transfers changed. Payouts of
   * escrows are among them; anybody may have written their memo.
   */
  incomingUsdc(wallet: string, after: string | undefined, limit: number): Promise<UsdcPage>;
  /** Minor units in the associated token account of this wallet; undefined when the wallet has none. */
  usdc(wallet: string): Promise<bigint | undefined>;
  /** A recent blockhash, base58: a transaction with it lands within about a minute, or never. */
  blockhash(): Promise<string>;
}
export const LedgerReads = token<LedgerReads>('ledger-reads');

export interface LedgerCluster {
  /** `localnet`, `devnet`, `testnet`, `mainnet-beta`, or `unknown`. */
  readonly name: string;
  readonly usdcMint: string;
}

export interface UsdcPage {
  readonly transfers: readonly ReceivedUsdc[];
  readonly cursor: string | undefined;
  /** Whether the history was not read to its end. */
  readonly more: boolean;
}

export interface ReceivedUsdc {
  /** The transaction. */
  readonly signature: string;
  readonly from: string;
  readonly amount: bigint;
  readonly memo: string | null;
  readonly slot: number;
}
