import type { SchemaTypes } from '../../schemas/types.ts';
import { collection } from '../storage/declarations.ts';
import type { PreparedTransaction, SentTransaction, TransactionOutcome } from './ledger.ts';
import type { LedgerRefusal } from './refusal.ts';

/** The newest transaction of a name, with the signatures of those before it. */
export type RecordedTransaction = SchemaTypes['recorded-transaction'];

type Certain = Exclude<TransactionOutcome, { status: 'pending' }>;

const MAX_EARLIER = 16;

export const transactions = collection<RecordedTransaction, 'unfinished' | 'unfinal'>('ledger-transactions', {
  schema: 'recorded-transaction',
  indexes: {
    unfinished: ({ status, at }) => (status === 'recorded' ? [at] : undefined),
    unfinal: ({ status, finalised, at }) => (status === 'confirmed' && finalised === false ? [at] : undefined),
  },
});

/** A new transaction of a name, behind the one it follows. */
export function recordOf(
  { signature, bytes, lastValidBlockHeight, madeAfter }: PreparedTransaction,
  before: RecordedTransaction | undefined,
  now: number,
): RecordedTransaction {
  const earlier = before ? takenForExpired(before).reverse().map(sentOf) : [];
  return {
    ...{ signature, bytes, lastValidBlockHeight, ...(madeAfter !== undefined && { madeAfter }) },
    ...{ status: 'recorded', at: now },
    ...(earlier.length > 0 && { earlier: earlier.slice(-MAX_EARLIER) }),
  };
}

/** The record once more is known about its transaction. */
export function withOutcome(
  record: RecordedTransaction,
  outcome: TransactionOutcome,
  now: number,
): RecordedTransaction {
  const { signature, bytes, lastValidBlockHeight, madeAfter, earlier } = record;
  const kept = isCertain(outcome) ? '' : bytes;
  const rest = {
    ...{ signature, bytes: kept, lastValidBlockHeight, at: now },
    ...(madeAfter !== undefined && { madeAfter }),
    ...(earlier && { earlier }),
  };
  switch (outcome.status) {
    case 'pending':
      return { ...rest, status: 'recorded', ...(outcome.lapsed && { lapsed: outcome.lapsed }) };
    case 'confirmed':
      return { ...rest, status: 'confirmed', slot: outcome.slot, finalised: outcome.finalised };
    case 'expired':
      return { ...rest, status: 'expired', slot: outcome.slot };
    case 'failed':
      return { ...rest, status: 'failed', refusal: refusedAs(outcome.refusal, outcome.code) };
  }
}

/** Whether nothing about it will change any more. */
export function isCertain(outcome: TransactionOutcome): outcome is Certain {
  return outcome.status === 'confirmed' ? outcome.finalised : outcome.status !== 'pending';
}

/** Under way, or done. */
export function isOpen(record: RecordedTransaction | undefined): record is RecordedTransaction {
  return record?.status === 'recorded' || record?.status === 'confirmed';
}

/** The transactions of the name that were taken for expired, the newest first. */
export function takenForExpired(record: RecordedTransaction): SentTransaction[] {
  const earlier = [...(record.earlier ?? [])].reverse();
  return record.status === 'expired' ? [sentOf(record), ...earlier] : earlier;
}

/** One that had been taken for expired is the transaction of its name after all. */
export function adopted(record: RecordedTransaction, sent: SentTransaction): RecordedTransaction {
  const others = takenForExpired(record).filter(({ signature }) => signature !== sent.signature);
  return { ...sent, bytes: '', status: 'recorded', at: record.at, earlier: others.reverse().map(sentOf) };
}

function sentOf({ signature, lastValidBlockHeight, madeAfter }: SentTransaction) {
  return { signature, lastValidBlockHeight, ...(madeAfter !== undefined && { madeAfter }) };
}

function refusedAs(refusal: LedgerRefusal | undefined, code: string): string {
  return refusal?.programError ?? refusal?.code ?? code;
}
