import type { AgentAccount } from './accounts.ts';
import type { SettlementNumbers } from './numbers.ts';

/** A lease payment: for so many epochs, at that price, after which it is paid through that epoch. */
export interface LeasePayment {
  readonly epochs: number;
  readonly amount: bigint;
  readonly paidThrough: number;
}

type Numbers = Pick<SettlementNumbers, 'leasePrice' | 'leaseMaxEpochs' | 'graceEpochs'>;

/**
 * The payment after which the lease is paid through the epoch `through`; undefined when it is already. Arrears are paid
 * first; a lease that was deactivated costs the grace epochs on top and begins anew. At most `leaseMaxEpochs` at once:
 * then the payment reaches less far.
 */
export function leasePayment(
  agent: Pick<AgentAccount, 'paidThrough'> | undefined,
  numbers: Numbers,
  epoch: number,
  through: number,
): LeasePayment | undefined {
  const paid = agent?.paidThrough ?? 0;
  if (paid !== 0 && paid >= through) return undefined;
  const deactivated = paid !== 0 && epoch > paid + numbers.graceEpochs;
  const from = paid === 0 || deactivated ? epoch - 1 : paid;
  const epochs = Math.min(Math.max(1, through - from), numbers.leaseMaxEpochs);
  const charged = epochs + (deactivated ? numbers.graceEpochs : 0);
  return { epochs, amount: numbers.leasePrice * BigInt(charged), paidThrough: from + epochs };
}
