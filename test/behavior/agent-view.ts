import { agentState, hasDuties } from '../../adapters/ledger-solana/program/index.ts';
import type { AgentAccount } from '../../core/protocol/settlement/accounts.ts';
import type { World } from '../program/support/world.ts';

/** The agent account of a world as the ledger port shows it, as far as the rules of behavior look at it. */
export function agentView(world: World, key: string) {
  const agent = world.agent(key);
  const last = Number(agent.last);
  return {
    state: agentState(agent),
    duties: hasDuties(agent),
    last,
    settledEpoch: Number(agent.settledEpoch),
    paidThrough: Number(agent.paidThrough),
    skipped: Array.from({ length: 32 }, (_, i) => last - i).filter((_, i) => (agent.skipHistory >>> i) & 1),
    batches: agent.ring
      .filter(({ submittedAt }) => submittedAt > 0n)
      .map((entry) => ({
        epoch: Number(entry.epoch),
        count: entry.count,
        root: Buffer.from(entry.root).toString('hex'),
        submittedAt: Number(entry.submittedAt),
        slot: Number(entry.slot),
      })),
  } satisfies Partial<AgentAccount>;
}
