import type { Health } from '../plugin.ts';
import type { LedgerRefusal } from './refusal.ts';
import type { Settlement } from './settlement.ts';

/**
 * The ledger port: what the node asks of a Solana cluster. Addresses are base58 text, amounts bigint minor units
 * (lamports; USDC with 6 decimals). Only the adapter knows transactions; only the `Signer` knows the key.
 */
export interface Ledger {
  readonly cluster: Cluster;
  /** The settlement program this ledger was configured for; undefined where none is deployed. */
  readonly settlement: Settlement | undefined;
  /** The newest slot, at most a few seconds old; answered from memory. 0 until the first answer of the RPC. */
  slot(): number;
  /** SOL and every SPL token account with a balance. */
  balances(owner: string): Promise<Balances>;
  /** Minor units in the owner's associated USDC account; 0n when it does not exist. */
  usdc(owner: string): Promise<bigint>;
  /**
   * Builds and signs a USDC transfer to the owner's associated token account (made when missing), with a memo.
   * Nothing is sent: record the transaction first, then `submit` it. Fails with `insufficient_funds`.
   */
  prepareUsdcTransfer(transfer: UsdcTransfer, signer: Signer): Promise<PreparedTransaction>;
  /** Sends it, again and again until it is confirmed or its block height has passed. Safe to repeat after a crash. */
  submit(transaction: PreparedTransaction, signal?: AbortSignal): Promise<TransactionOutcome>;
  /** What became of a transaction sent earlier; `pending` while its block height has not passed. */
  outcome(transaction: PreparedTransaction): Promise<TransactionOutcome>;
  /**
   * Finalised USDC transfers into the owner's account, oldest first, behind the cursor of the page before. One call does
   * bounded work, so a page can be empty and have more behind it.
   */
  incomingUsdc(owner: string, after: string | undefined, limit: number): Promise<IncomingPage>;
  /** How well the RPCs answer, from memory; `detail` says what is wrong and what to do about it. */
  health(): Health;
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

export interface PreparedTransaction {
  readonly signature: string;
  /** Base64 wire bytes. */
  readonly bytes: string;
  readonly lastValidBlockHeight: number;
}

export type TransactionOutcome =
  | { readonly status: 'confirmed'; readonly slot: number }
  /** `refusal` where the settlement program, or a lack of funds, stopped one of its transactions. */
  | { readonly status: 'failed'; readonly code: string; readonly detail: string; readonly refusal?: LedgerRefusal }
  | { readonly status: 'expired' }
  | { readonly status: 'pending' };

export interface IncomingPage {
  readonly transfers: readonly IncomingTransfer[];
  /** A transaction signature; store it with what the transfers changed. */
  readonly cursor: string | undefined;
  /** Whether the history was not read to its end. */
  readonly more: boolean;
}

export interface IncomingTransfer {
  readonly signature: string;
  readonly from: string;
  readonly amount: bigint;
  readonly memo: string | null;
  readonly slot: number;
}
