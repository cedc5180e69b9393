import type { PreparedTransaction, SentTransaction, TransactionOutcome } from './ledger.ts';
import type { LandedTransaction } from './recorded-transactions.ts';

/**
 * Says from a finalised account, or from finalised history, read at or after a slot, whether the step of a name is done:
 * `true` or the transaction that did it, `false` when it certainly is not, undefined when that cannot be told. Where it is
 * done and no transaction of the name can have done it, `prepare` is asked, and the program refuses with its reason.
 */
export type IsDone = (atLeast: number) => Promise<boolean | LandedTransaction | undefined>;

export interface CarryOutOptions {
  /** Decides where our own record and the ledger may differ; the ledger's word is preferred. */
  readonly isDone?: IsDone;
  /** Resolve only once the ledger cannot take the transaction back; `confirmed` unless given. */
  readonly until?: 'confirmed' | 'finalised';
  /** Told of a new transaction when it is recorded and not yet sent. */
  readonly recorded?: (transaction: PreparedTransaction) => Promise<void>;
}

/** Where the ledger cannot say how a transaction ended that can land no more, the state of its step may tell. */
export async function decided(
  outcome: TransactionOutcome,
  { signature }: SentTransaction,
  { isDone }: CarryOutOptions,
): Promise<TransactionOutcome> {
  if (outcome.status !== 'pending' || !outcome.lapsed || !isDone) return outcome;
  const { slot } = outcome.lapsed;
  const done = await isDone(slot);
  if (done === undefined) return outcome;
  const byThis = done === true || (typeof done === 'object' && done.signature === signature);
  return byThis ? { status: 'confirmed', slot, finalised: true } : { status: 'expired', slot };
}
