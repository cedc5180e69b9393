import type { AgentAccount } from './accounts.ts';
import type { SettlementNumbers } from './numbers.ts';

export type LeaseStatus = 'active' | 'grace' | 'deactivated' | 'none';

/** A pure function of the account and the epoch the ledger is in. */
export function leaseStatus(
  agent: Pick<AgentAccount, 'paidThrough'> | undefined,
  { graceEpochs }: Pick<SettlementNumbers, 'graceEpochs'>,
  epoch: number,
): LeaseStatus {
  if (!agent || agent.paidThrough === 0) return 'none';
  const behind = epoch - agent.paidThrough;
  if (behind <= 0) return 'active';
  return behind <= graceEpochs ? 'grace' : 'deactivated';
}
