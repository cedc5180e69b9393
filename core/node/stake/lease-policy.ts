import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import { type LeasePayment, leasePayment } from '../../protocol/settlement/lease-price.ts';
import type { SettlementNumbers } from '../../protocol/settlement/numbers.ts';

/** Limits for the lease payments that a node makes by itself. */
export interface LeasePolicy {
  /** `staked`: while the agent has a stake; `always`; `never`. */
  readonly pay: 'staked' | 'always' | 'never';
  /** Epochs paid beyond the present one. */
  readonly ahead: number;
  /** Minor units in one payment, and in any 30 epochs. */
  readonly maxAmount: bigint;
  readonly budget: bigint;
}

export type LeaseDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'pay'; readonly payment: LeasePayment }
  /** A payment is due and may not be made. */
  | { readonly kind: 'refused'; readonly reason: 'max_amount' | 'budget'; readonly payment: LeasePayment };

export interface LeaseSituation {
  readonly agent: Pick<AgentAccount, 'paidThrough' | 'stake'> | undefined;
  readonly numbers: SettlementNumbers;
  readonly epoch: number;
  /** Minor units spent in the last 30 epochs. */
  readonly spent: bigint;
}

export function paysItself({ pay }: LeasePolicy, agent: Pick<AgentAccount, 'stake'> | undefined): boolean {
  return pay === 'always' || (pay === 'staked' && agent !== undefined && agent.stake > 0n);
}

/** The payment of this epoch: all that is due where it fits the bounds, else as many epochs as do. Pure. */
export function decideLease(policy: LeasePolicy, situation: LeaseSituation): LeaseDecision {
  const { agent, numbers, epoch, spent } = situation;
  if (!paysItself(policy, agent) || !leasePayment(agent, numbers, epoch, epoch)) return { kind: 'nothing' };
  const room = policy.budget - spent;
  // biome-ignore lint/complexity/useMathMinMax: amounts are bigint
  const limit = room < policy.maxAmount ? room : policy.maxAmount;
  for (let through = epoch + policy.ahead; ; through--) {
    const payment = leasePayment(agent, numbers, epoch, through)!;
    if (payment.amount <= limit) return { kind: 'pay', payment };
    if (payment.epochs === 1)
      return { kind: 'refused', reason: payment.amount > policy.maxAmount ? 'max_amount' : 'budget', payment };
  }
}
