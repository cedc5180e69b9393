import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { type SuspectBatch, suspects, type WatchedAgent, watchedAgents } from './watch-records.ts';

export interface AgentWatchOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  /** Whether batches are to be examined. */
  readonly accuse: boolean;
  /** Judges an account as of that time or later; undefined where nobody is to be slashed. */
  readonly judge: ((agent: AgentAccount, time: LedgerTime, signal: AbortSignal) => Promise<void>) | undefined;
  /** Milliseconds that the leaf list of a batch gets to reach the aggregators. */
  readonly pause: number;
}

const PAGE = 100;

/**
 * Reads the accounts of all agents that have put up a stake. Which batches are on the ledger,
 * and who owes one, is what the accounts show; no event is needed for it.
 */
export class AgentWatch {
  readonly #options: AgentWatchOptions;

  constructor(options: AgentWatchOptions) {
    this.#options = options;
  }

  async run(now: number, signal: AbortSignal): Promise<void> {
    const { space, settlement, judge } = this.#options;
    const time = await settlement.time();
    const failures: unknown[] = [];
    for (let after: Found<unknown> | undefined; !signal.aborted; ) {
      const rows = await space.page(watchedAgents, { limit: PAGE, after });
      const keys = rows.map(({ id }) => id);
      // An account from before the time it is judged by could look idle.
      const { slot, value: agents } = await settlement.agents(keys, time.slot);
      for (const [index, { id, value }] of rows.entries()) {
        const agent = agents[index];
        if (!agent || agent.state === 'none') continue;
        await this.#takeUp(id, value, agent, { time, slot, now });
        await judge?.(agent, time, signal).catch((error: unknown) => failures.push(error));
      }
      if (rows.length < PAGE) break;
      after = rows.at(-1);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Notes the batches that are new since the last look and can still be accused. */
  async #takeUp(
    key: string,
    watched: WatchedAgent,
    { batches, settledEpoch }: AgentAccount,
    { time, slot, now }: { readonly time: LedgerTime; readonly slot: number; readonly now: number },
  ): Promise<void> {
    const { space, settlement, accuse, pause } = this.#options;
    if (!accuse) return;
    const from = Math.max(settledEpoch, watched.examined ?? 0);
    const { challengeSecs } = settlement.numbers;
    const fresh = batches.filter((one) => one.epoch > from && time.unixSeconds <= one.submittedAt + challengeSecs);
    if (fresh.length === 0) return;
    const ref = watchedAgents.ref(key);
    await space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (!known) return;
      for (const { epoch, count, root, submittedAt: at } of fresh) {
        const suspect: SuspectBatch = { key, epoch, count, root, at, slot, tries: 0, due: now + pause };
        tx.put(suspects.ref(`${key}:${epoch}`), suspect);
      }
      tx.put(ref, { ...known, examined: Math.max(...fresh.map(({ epoch }) => epoch)) });
    });
  }
}
