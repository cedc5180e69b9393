import { type ErrorCode, MeshError } from '../errors.ts';
import type { TransactionOutcome } from './ledger.ts';

/** Why the ledger refused a settlement transaction, in the codes of our errors. */
export interface LedgerRefusal {
  readonly code: ErrorCode;
  readonly detail: string;
  /** The program's own word for it, as docs/program.md lists them (`wrong_state`); absent when another program refused. */
  readonly programError?: string;
}

export function refusalError({ code, detail, programError }: LedgerRefusal): MeshError {
  return new MeshError(code, { detail, ...(programError && { extra: { program_error: programError } }) });
}

/** What to tell of a transaction that did not land: nothing was changed by it. */
export function outcomeError(outcome: Exclude<TransactionOutcome, { status: 'confirmed' }>): MeshError {
  if (outcome.status === 'failed') {
    if (outcome.refusal) return refusalError(outcome.refusal);
    return new MeshError('upstream_failed', `The ledger refused the transaction (${outcome.code}).`);
  }
  const detail =
    outcome.status === 'expired'
      ? 'The ledger did not take the transaction in time; nothing was changed. Call again.'
      : 'The transaction was sent and is not confirmed yet; repeat the call to wait for it.';
  return new MeshError('ledger_unavailable', detail);
}
