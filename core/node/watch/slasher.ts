import { isMeshError } from '../../errors.ts';
import type { LedgerSteps } from '../../ledger/ledger-steps.ts';
import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { AgentAccount } from '../../ledger/settlement-accounts.ts';
import type { SettlementNumbers } from '../../ledger/settlement-numbers.ts';
import type { Log } from '../../log.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { watchedAgents } from './watch-records.ts';

export interface SlasherOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly steps: LedgerSteps;
  readonly log: Log;
}

const PAGE = 100;

/** Slashes agents that owe batches for too long, and takes the bounty. Costs a transaction fee only. */
export class Slasher {
  readonly #options: SlasherOptions;

  constructor(options: SlasherOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, settlement } = this.#options;
    const time = await settlement.time();
    for (let after: Found<unknown> | undefined; !signal.aborted; ) {
      const rows = await space.page(watchedAgents, { limit: PAGE, after });
      const { value: agents } = await settlement.agents(rows.map(({ id }) => id));
      for (const [index, { id }] of rows.entries()) await this.#judge(id, agents[index], time, signal);
      if (rows.length < PAGE) return;
      after = rows.at(-1);
    }
  }

  async #judge(key: string, agent: AgentAccount | undefined, time: LedgerTime, signal: AbortSignal): Promise<void> {
    const { settlement, steps, log } = this.#options;
    if (!agent || !isInactive(agent, settlement.numbers, time)) return;
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
