import { normaliseAgentId, typed } from '../../core/plugin.ts';
import type { AggregatorCalls, Contracts, Random } from '../../core/services.ts';

interface Listed {
  readonly agent_id: string;
}

const LIST = typed<readonly Listed[]>({
  type: 'array',
  maxItems: 1_000,
  items: { type: 'object', required: ['agent_id'], properties: { agent_id: { type: 'string', maxLength: 64 } } },
});
/** Agents of one list; the most an aggregator tells at once. */
const LOOKED_AT = 200;

/**
 * Agents to hire, in random order. Every other time they are those heard of last and those of the best rank: new agents are tried,
 * and whoever makes keys by the thousand gets half of the budget at most.
 */
export async function candidates(
  { aggregators, contracts, random }: { aggregators: AggregatorCalls; contracts: Contracts; random: Random },
  capability: string | undefined,
): Promise<string[]> {
  const url = pick(aggregators.urls, random);
  if (url === undefined) return [];
  const sort = random.fraction() < 0.5 ? 'recent' : 'reputation';
  const found = await aggregators.get({ url, path: '/agents', query: { sort, limit: LOOKED_AT, capability } });
  if (contracts.problems(LIST, found).length > 0) return [];
  return shuffled(
    (found as readonly Listed[]).flatMap(({ agent_id }) => normaliseAgentId(agent_id) ?? []),
    random,
  );
}

export function pick<T>(from: readonly T[], random: Random): T | undefined {
  return from[Math.floor(random.fraction() * from.length)];
}

function shuffled<T>(from: readonly T[], random: Random): T[] {
  const rest = [...from];
  for (let at = rest.length - 1; at > 0; at--) {
    const other = Math.floor(random.fraction() * (at + 1));
    [rest[at], rest[other]] = [rest[other]!, rest[at]!];
  }
  return rest;
}
