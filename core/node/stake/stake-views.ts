import type { SchemaTypes } from '../../../schemas/types.ts';
import type { LedgerTime } from '../../ledger/settlement.ts';
import { amountJson, formatUsdc } from '../../platform/usdc.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import type { SettlementNumbers } from '../../protocol/settlement/numbers.ts';
import { withdrawalOf } from '../../protocol/settlement/withdrawal.ts';

type StakeView = SchemaTypes['stake-view'];

/** The stake of a key as the API shows it; of one that has no account, too. */
export function stakeView(
  key: string,
  agent: AgentAccount | undefined,
  { numbers, time, warnings }: { numbers: SettlementNumbers; time: LedgerTime; warnings: readonly string[] },
): StakeView {
  const stake = agent?.stake ?? 0n;
  return {
    agent_id: key,
    state: agent?.state ?? 'none',
    stake_usdc: formatUsdc(stake),
    stake_usdc_micro: amountJson(stake),
    stake_owner: agent?.stakeOwner ?? null,
    duties: agent?.duties ?? false,
    epoch: time.epoch,
    last_epoch: agent?.last ?? 0,
    skipped_epochs: [...(agent?.skipped ?? [])],
    open_accusations: agent?.open ?? 0,
    unlock: (agent && unlockOf(agent, numbers, time)) ?? null,
    warnings: [...warnings],
  };
}

function unlockOf(agent: AgentAccount, numbers: SettlementNumbers, time: LedgerTime): StakeView['unlock'] {
  const withdrawal = withdrawalOf(agent, numbers, time.unixSeconds);
  if (!withdrawal) return null;
  return {
    requested_at: iso(agent.requestedAt),
    withdrawable_at: iso(withdrawal.from),
    waits_for: [...withdrawal.waitsFor],
  };
}

function iso(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString();
}
