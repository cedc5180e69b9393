import type { TransactionState } from './recorded-transactions.ts';

/** A recorded transaction as plugins are told of it. */
export interface TransactionStatus {
  readonly status: 'pending' | 'confirmed' | 'final' | 'failed';
  readonly reason?: string;
}

export function statusOf({ status, revocable, refusal }: TransactionState): TransactionStatus {
  switch (status) {
    case 'recorded':
      return { status: 'pending' };
    case 'confirmed':
      return { status: revocable ? 'confirmed' : 'final' };
    case 'failed':
      return { status: 'failed', reason: refusal ?? 'failed' };
    case 'expired':
      return { status: 'failed', reason: 'expired' };
  }
}
