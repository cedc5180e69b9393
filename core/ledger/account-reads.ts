import type { Reading } from './settlement.ts';

/** The account of some program. */
export interface ProgramAccount {
  readonly lamports: bigint;
  /** The program that owns it, base58. */
  readonly owner: string;
  readonly data: Uint8Array;
}

export interface FoundAccount {
  readonly address: string;
  /** The part of its data that was asked for. */
  readonly data: Uint8Array;
}

export interface AccountQuery {
  /** Bytes that the data has at these places; at most four. */
  readonly matches: readonly { readonly offset: number; readonly bytes: Uint8Array }[];
  /** The part of the data that is wanted. */
  readonly part: { readonly offset: number; readonly length: number };
  /** The most that are given; those with the lowest addresses. */
  readonly limit: number;
}

/**
 * Reads of finalised state, but for `latest`: by the word of all RPCs, never older than what was believed before. They fail with
 * `ledger_unavailable` where that cannot be had.
 */
export interface AccountReads {
  /** Those at up to 100 addresses, at one moment that is not before the slot; null where there is none. */
  at(addresses: readonly string[], atLeast?: number): Promise<Reading<readonly (ProgramAccount | null)[]>>;
  /** Those at up to 100 addresses as one RPC has them confirmed, at one moment; null where there is none. For what is shown. */
  latest(addresses: readonly string[]): Promise<readonly (ProgramAccount | null)[]>;
  /** Those of a program that match. */
  of(program: string, query: AccountQuery): Promise<Reading<readonly FoundAccount[]>>;
  /** The address that a program derives from seeds. */
  derive(program: string, seeds: readonly Uint8Array[]): string;
}
