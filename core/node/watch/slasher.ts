import { isMeshError } from '../../contracts/errors.ts';
import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { SettlementActions } from '../../ledger/settlement-actions.ts';
import type { Log } from '../../platform/log.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import type { SettlementNumbers } from '../../protocol/settlement/numbers.ts';

export interface SlasherOptions {
  readonly settlement: Settlement;
  readonly steps: SettlementActions;
  readonly log: Log;
}

/** Slashes agents that owe batches for too long, and takes the bounty. Costs a transaction fee only. */
export class Slasher {
  readonly #options: SlasherOptions;

  constructor(options: SlasherOptions) {
    this.#options = options;
  }

  /** By an account that was read at the slot of `time` or later: a stale one could look idle. */
  async judge(agent: AgentAccount, time: LedgerTime, signal: AbortSignal): Promise<void> {
    const { settlement, steps, log } = this.#options;
    const { key } = agent;
    if (!isInactive(agent, settlement.numbers, time)) return;
    try {
      await steps.run(`slash:${key}:${agent.last}`, { type: 'slash_inactive', key }, signal);
      log.warn({ key, last: agent.last }, 'an agent that submits no batches was slashed');
    } catch (error) {
      // Somebody was faster, or the agent has just submitted.
      if (!isMeshError(error) || !['conflict', 'deadline_not_reached'].includes(error.code)) throw error;
    }
  }
}

/** Whether anyone may slash it now; PROTOCOL 37. Pure. */
export function isInactive(
  { duties, last, lastSlot }: Pick<AgentAccount, 'duties' | 'last' | 'lastSlot'>,
  { inactiveEpochs, inactiveSlots }: Pick<SettlementNumbers, 'inactiveEpochs' | 'inactiveSlots'>,
  { epoch, slot }: Pick<LedgerTime, 'epoch' | 'slot'>,
): boolean {
  return duties && epoch >= last + inactiveEpochs && slot >= lastSlot + inactiveSlots;
}
