import type { Space } from '../../storage/space.ts';
import type { Tx } from '../../storage/transaction.ts';
import { agents } from '../store/agents.ts';
import { capabilities, counted, recounting } from '../store/capabilities.ts';

const PAGE = 50;

/** Counts an agent for what it can do, and no more for what it could do before. */
export function countCapabilities(tx: Tx, agentId: string, now: readonly string[]): void {
  const ref = counted.ref(agentId);
  const before = tx.pull([ref])[0]?.capabilities ?? [];
  const gone = before.filter((capability) => !now.includes(capability));
  const come = now.filter((capability) => !before.includes(capability));
  if (gone.length + come.length === 0) return;
  const changes = [...gone.map((name) => [name, -1] as const), ...come.map((name) => [name, 1] as const)];
  const known = tx.pull(changes.map(([name]) => capabilities.ref(name)));
  for (const [index, [capability, by]] of changes.entries()) {
    const left = (known[index]?.agents ?? 0) + by;
    if (left > 0) tx.put(capabilities.ref(capability), { capability, agents: left });
    else tx.del(capabilities.ref(capability));
  }
  if (now.length > 0) tx.put(ref, { capabilities: [...now] });
  else tx.del(ref);
}

/**
 * Counts the agents of a store that was written before there were counts, a page at a time, once. An agent that advertises meanwhile
 * is counted by that; whoever comes second changes nothing.
 */
export async function recount(space: Space, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const done = await space.get(recounting);
    if (done?.over) return;
    const page = await space.page(agents, { limit: PAGE, ...(done && { after: { key: '', id: done.after } }) });
    const able = page.filter(({ value }) => value.capabilities.length > 0);
    await space.tx([recounting, ...able.map(({ id }) => agents.ref(id))], (tx) => {
      if (tx.get(recounting)?.after !== done?.after) return;
      for (const { id } of able) countCapabilities(tx, id, tx.get(agents.ref(id))?.capabilities ?? []);
      const last = page.at(-1);
      tx.put(recounting, { after: last?.id ?? done?.after ?? '', over: page.length < PAGE });
    });
  }
}
