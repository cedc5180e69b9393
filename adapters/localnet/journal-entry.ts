import type { LoadedAddresses } from './accounts-of.ts';
import type { Execution } from './engine.ts';
import type { TransactionError } from './engine-errors.ts';
import type { Stamp } from './slots.ts';
import type { UiAmount } from './token-accounts.ts';

/** Everything that changes the chain, in order. Plain JSON; running the entries again gives the same chain. */
export type JournalEntry = Landed | AccountWritten | ProgramLoaded | RentSet | Warped;

interface Entry {
  /** Counts the entries of the chain from 0. */
  readonly seq: number;
  /** How many blockhashes the engine had used: durable nonces depend on it. */
  readonly tick: number;
  readonly stamp: Stamp;
}

/** A transaction that is part of the chain, with all that RPC clients may ask of it. */
export interface Landed extends Entry {
  readonly kind: 'transaction';
  readonly signature: string;
  /** Base64 wire bytes. */
  readonly bytes: string;
  readonly keys: readonly string[];
  readonly memo: string | null;
  readonly meta: TransactionMeta;
}

export interface AccountWritten extends Entry {
  readonly kind: 'account';
  readonly address: string;
  readonly lamports: string;
  /** Base64. */
  readonly data: string;
  readonly owner: string;
  readonly executable: boolean;
}

export interface ProgramLoaded extends Entry {
  readonly kind: 'program';
  readonly address: string;
  /** Base64. */
  readonly elf: string;
}

export interface RentSet extends Entry {
  readonly kind: 'rent';
  readonly lamportsPerByte: string;
}

/** Time was moved; the entry's own stamp tells where to. */
export interface Warped extends Entry {
  readonly kind: 'warp';
}

export interface TransactionMeta {
  readonly err: TransactionError | null;
  readonly status: { readonly Ok: null } | { readonly Err: TransactionError };
  readonly fee: number;
  readonly preBalances: readonly number[];
  readonly postBalances: readonly number[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly logMessages: readonly string[];
  readonly innerInstructions: Execution['innerInstructions'];
  readonly computeUnitsConsumed: number;
  readonly loadedAddresses: LoadedAddresses;
  readonly rewards: readonly never[];
  readonly returnData?: NonNullable<Execution['returnData']>;
}

export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: UiAmount;
}
