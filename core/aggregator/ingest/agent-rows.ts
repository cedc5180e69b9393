import { MOST_KEYS } from '../../protocol/reputation/lineage.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { Epochs } from '../epochs.ts';
import { agents, newAgent, type StoredAgent } from '../store/agents.ts';
import { agentCount, type StoredActivity } from '../store/logs.ts';

/** Notes that an agent signed something at `at`; the first time makes its row. */
export function seeAgent(tx: Tx, agentId: string, at: number, epochs: Epochs): void {
  const seen = Math.min(at, tx.now);
  const ref = agents.ref(agentId);
  const known = tx.get(ref);
  if (!known) tx.add(agentCount, 1);
  const agent = known ?? newAgent(agentId, seen, epochs.at(tx.now));
  if (known && agent.last_seen >= seen && agent.first_seen <= seen) return;
  tx.put(ref, {
    ...agent,
    first_seen: Math.min(agent.first_seen, seen),
    last_seen: Math.max(agent.last_seen, seen),
  });
}

/** The sides of an activity event, by the names that they have now: an event is told for ever as it was. */
export function sidesOf(
  tx: Tx,
  agentId: string,
  targetId?: string,
): Pick<StoredActivity, 'agent_id' | 'name' | 'target_agent_id' | 'target_name'> {
  const [agent, target] = tx.pull([agentId, ...(targetId === undefined ? [] : [targetId])].map((id) => agents.ref(id)));
  return {
    agent_id: agentId,
    ...(agent?.name && { name: agent.name }),
    ...(targetId !== undefined && { target_agent_id: targetId }),
    ...(target?.name && { target_name: target.name }),
  };
}

/** The row of the key that an agent has now, which had this one before. */
export function heirIn(tx: Tx, agentId: string): Ref<StoredAgent> {
  let ref = agents.ref(agentId);
  for (let hops = 0; hops < MOST_KEYS; hops += 1) {
    const [agent] = tx.pull([ref]);
    if (!agent?.successor) break;
    ref = agents.ref(agent.successor.agent_id);
  }
  return ref;
}

/** Changes the row of the agent that has this key, or had it. */
export function changeHeir(tx: Tx, key: string, change: (agent: StoredAgent) => StoredAgent): void {
  changeRow(tx, heirIn(tx, key), change);
}

/**
 * Changes an agent's row, and writes nothing when `change` gives the same one. An agent that never signed anything has none,
 * and gets none by what others say.
 */
export function changeAgent(tx: Tx, agentId: string, change: (agent: StoredAgent) => StoredAgent): void {
  changeRow(tx, agents.ref(agentId), change);
}

function changeRow(tx: Tx, ref: Ref<StoredAgent>, change: (agent: StoredAgent) => StoredAgent): void {
  const [agent] = tx.pull([ref]);
  const changed = agent && change(agent);
  if (changed && changed !== agent) tx.put(ref, changed);
}
