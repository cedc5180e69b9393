import type { Reading } from '../ledger/settlement.ts';
import { token } from '../platform/token.ts';
import type { EscrowAccount } from '../protocol/settlement/accounts.ts';
import type { EventPage } from '../protocol/settlement/events.ts';
import type { EscrowName } from '../protocol/settlement/steps.ts';

export type { EscrowAccount } from '../protocol/settlement/accounts.ts';
export type { EventPage as EscrowEventPage } from '../protocol/settlement/events.ts';
export type { EscrowName } from '../protocol/settlement/steps.ts';

/**
 * Escrows of the settlement program, whoever locked them: everybody may read them. Amounts are bigint minor units, moments Unix seconds of
 * the ledger's clock. All is finalised. Reads reject with `ledger_unavailable` without a ledger, and with `ledger_program_missing` where it
 * has no settlement program. Nodes only.
 */
export interface EscrowAccounts {
  /** Undefined where there is a ledger with the settlement program; else the code of that refusal. */
  readonly missing: 'ledger_unavailable' | 'ledger_program_missing' | undefined;
  /** Seconds in which a contested dispute has to be decided. */
  readonly disputeSecs: number;
  /**
   * At most 100 at one slot, undefined where none is open: then its events tell how it ended. Rejects with `ledger_unavailable` rather than
   * answer from before the slot `atLeast`.
   */
  get(names: readonly EscrowName[], atLeast?: number): Promise<Reading<readonly (EscrowAccount | undefined)[]>>;
  /** The events of one escrow, oldest first, behind the cursor of the page before; it may have been locked more than once. */
  events(name: EscrowName, after: string | undefined, limit: number): Promise<EventPage>;
}
export const EscrowAccounts = token<EscrowAccounts>('escrow-accounts');
