import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { agents } from '../store/agents.ts';
import { placed } from './placed.ts';

const PAGE = 200;

/**
 * Puts agents whose good rank has faded with idleness where they belong now; returns how many it moved. Everything else
 * that changes a rank moves the agent as it happens. Until it has run, a list may show an agent where it stood before.
 */
export async function moveFaded(space: Space, epochs: Epochs, now: number, signal: AbortSignal): Promise<number> {
  const epoch = epochs.at(now);
  let moved = 0;
  while (!signal.aborted) {
    const due = await space.page(agents, { index: 'fades', to: [epoch + 1], limit: PAGE });
    await Promise.all(
      due.map(({ id }) =>
        space.tx([agents.ref(id)], (tx) => {
          const agent = tx.get(agents.ref(id));
          if (agent) tx.put(agents.ref(id), { ...agent, ranked: placed(id, agent.standing, epoch).ranked });
        }),
      ),
    );
    moved += due.length;
    if (due.length < PAGE) break;
  }
  return moved;
}
