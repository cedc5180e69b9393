import { type ErrorCode, MeshError } from '../contracts/errors.ts';
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

/**
 * The error for a transaction that is not confirmed. It says that nothing was changed only of a failed and an expired
 * one.
 */
export function outcomeError(outcome: Exclude<TransactionOutcome, { status: 'confirmed' }>): MeshError {
  if (outcome.status === 'failed') {
    if (outcome.refusal) return refusalError(outcome.refusal);
    return new MeshError(
      'upstream_failed',
      `The ledger refused the transaction (${outcome.code}); nothing was changed.`,
    );
  }
  return new MeshError('ledger_unavailable', unfinished(outcome));
}

function unfinished(outcome: Extract<TransactionOutcome, { status: 'expired' | 'pending' }>): string {
  if (outcome.status === 'expired')
    return 'The ledger did not take the transaction in time; nothing was changed. Call again.';
  if (!outcome.lapsed) return 'The transaction was sent and is not confirmed yet; repeat the call to wait for it.';
  return (
    'The transaction was sent and can land no more, but whether it landed is not known yet, so no other is sent: ' +
    `${outcome.lapsed.reason}. Repeat the call later.`
  );
}
