import { guardedToken } from '../platform/token.ts';

/** Something that happened to the money of this agent, for `GET /portfolio/history`. */
export interface MoneyEvent {
  /**
   * Names the event among those of this plugin: the same key again changes nothing. 1 to 128 printable ASCII characters; the
   * signature of the transaction is a good one.
   */
  readonly key: string;
  readonly type: 'swap' | 'bounty' | 'launchpad' | 'escrow' | 'transfer' | 'lease' | 'fee' | 'stake';
  /** The step in kebab-case, such as `launch` or `claim`. */
  readonly action: string;
  /** Whether USDC came into the wallet or left it; `none` unless given. */
  readonly direction?: 'in' | 'out' | 'none';
  /** Minor units of USDC; absent where none moved. */
  readonly amount?: bigint;
  /** Of the ledger transaction. */
  readonly signature?: string;
  /** The other agent or wallet. */
  readonly counterparty?: string;
  /** The deal it belongs to. */
  readonly conversationId?: string;
  /**
   * At most 16 more members of the entry, such as `input_mint` and `token_mint`: names in snake_case, texts of at most 256 characters.
   * None takes the place of a member that every entry has.
   */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * The history of this agent's money. Payments by the service `Payments` are in it by themselves; a plugin adds what it did otherwise,
 * such as a swap, once it is certain. Needs the permission `money:spend`.
 */
export interface History {
  /** Resolves when the entry is on disk. Rejects with `invalid_request`, and with `rate_limited` above 600 entries in 60 seconds. */
  add(event: MoneyEvent): Promise<void>;
}

export const History = guardedToken<History>('history', 'money:spend');
