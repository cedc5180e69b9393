import type { Space } from '../../storage/space.ts';
import { agents, type StoredAgent } from '../store/agents.ts';

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Letters of a short id, which is what people compare. Ids that share more than these take hours of grinding each. */
const HEAD = 6;
const MOST_ALIKE = 200;

/**
 * Agents whose id has another letter in one place, or in none. An id with the same head is in a range of ids; one with another letter in its
 * head is one of a few hundred ids, each looked up.
 */
export async function agentsNear(space: Space, id: string): Promise<StoredAgent[]> {
  const others = Array.from({ length: HEAD }, (_, place) =>
    [...LETTERS]
      .filter((letter) => letter !== id[place])
      .map((letter) => id.slice(0, place) + letter + id.slice(place + 1)),
  ).flat();
  const [alike, found] = await Promise.all([
    space.page(agents, { idPrefix: id.slice(0, HEAD), limit: MOST_ALIKE }),
    space.getMany(others.map((other) => agents.ref(other))),
  ]);
  const near = alike.map(({ value }) => value).filter(({ agent_id }) => differences(agent_id, id) <= 1);
  return [...near, ...found.filter((agent) => agent !== undefined)];
}

function differences(one: string, other: string): number {
  if (one.length !== other.length) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (let place = 0; place < one.length; place += 1) if (one[place] !== other[place]) count += 1;
  return count;
}
