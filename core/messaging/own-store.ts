import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import { nonces } from './records.ts';

/** Whose outbox, inbox and deals these are. */
const keeper = collection<{ readonly agent: string }>('keeper', { schema: () => [] });

/**
 * Takes a store for an agent, for ever. Rejects when it is that of another one: two nodes with one prefix on one Redis
 * would send each other's envelopes, and a key that was lost would lose its deals to the next one without a word.
 */
export async function claimStore(space: Space, agent: string): Promise<void> {
  const ref = keeper.ref('agent');
  const own = nonces.ref(agent);
  const [known, signed] = await Promise.all([space.get(ref), space.page(nonces, { limit: 1 })]);
  const { value: holder } = known
    ? { value: known.agent }
    : await space.tx([ref, own], (tx) => {
        const before = tx.get(ref)?.agent;
        if (before !== undefined) return before;
        // Stores of earlier builds tell it by what was signed only.
        const other = tx.get(own) ? undefined : signed[0]?.id;
        if (other === undefined) tx.put(ref, { agent });
        return other ?? agent;
      });
  if (holder === agent) return;
  throw new Error(
    `this store is that of agent ${holder}, and the key here is that of ${agent}: ` +
      'put the key file of the former back, or give this node a data folder or a storage.prefix of its own',
  );
}
