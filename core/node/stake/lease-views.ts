import type { SchemaTypes } from '../../../schemas/types.ts';
import type { LedgerTime } from '../../ledger/settlement.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import { leasePayment } from '../../protocol/settlement/lease-price.ts';
import { leaseStatus } from '../../protocol/settlement/lease-status.ts';
import type { SettlementNumbers } from '../../protocol/settlement/numbers.ts';
import { type LeasePolicy, paysItself } from './lease-policy.ts';
import { type LeaseState, type PaidLease, spentRecently } from './lease-records.ts';

export interface LeaseSight {
  readonly numbers: SettlementNumbers;
  readonly time: LedgerTime;
  readonly policy: LeasePolicy;
  readonly state: LeaseState;
  readonly warnings: readonly string[];
}

export function leaseView(key: string, agent: AgentAccount | undefined, sight: LeaseSight): SchemaTypes['lease-view'] {
  const { numbers, time, policy, state, warnings } = sight;
  const due = leasePayment(agent, numbers, time.epoch, time.epoch);
  return {
    agent_id: key,
    status: leaseStatus(agent, numbers, time.epoch),
    epoch: time.epoch,
    paid_through: agent?.paidThrough ?? 0,
    due: due ? { epochs: due.epochs, amount_usdc: formatUsdc(due.amount) } : null,
    automatic: paysItself(policy, agent),
    spent_usdc: formatUsdc(spentRecently(state, time.epoch)),
    budget_usdc: formatUsdc(policy.budget),
    payments: state.payments.map(paymentView),
    warnings: [...warnings],
  };
}

export function paymentView({ epoch, paid_through, amount, signature = '' }: PaidLease) {
  return { epoch, paid_through, amount_usdc: formatUsdc(BigInt(amount)), signature };
}
