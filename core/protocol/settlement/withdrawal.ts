import type { AgentAccount } from './accounts.ts';
import type { SettlementNumbers } from './numbers.ts';

/** When a stake can be taken back, and what must happen besides. */
export interface Withdrawal {
  /** Unix seconds: not before this moment. */
  readonly from: number;
  readonly waitsFor: readonly ('batches' | 'accusations' | 'time')[];
}

/** Undefined unless the agent is leaving; PROTOCOL 36. Pure. */
export function withdrawalOf(
  agent: AgentAccount,
  { unlockSecs, challengeSecs }: Pick<SettlementNumbers, 'unlockSecs' | 'challengeSecs'>,
  unixSeconds: number,
): Withdrawal | undefined {
  if (agent.state !== 'leaving') return undefined;
  const from = Math.max(agent.requestedAt + unlockSecs, agent.lastAt + challengeSecs + 1);
  return {
    from,
    waitsFor: [
      ...(agent.duties ? (['batches'] as const) : []),
      ...(agent.open > 0 ? (['accusations'] as const) : []),
      ...(unixSeconds < from ? (['time'] as const) : []),
    ],
  };
}
