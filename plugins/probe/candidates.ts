import { normaliseAgentId, typed } from '../../core/plugin.ts';
import type { AggregatorCalls, Contracts, Random } from '../../core/services.ts';

interface Listed {
  readonly agent_id: string;
  readonly score: number;
}

/** `known`: money that the score trusts speaks for them. `new`: all others. */
export type Kind = 'known' | 'new';

const LIST = typed<readonly Listed[]>({
  type: 'array',
  maxItems: 1_000,
  items: {
    type: 'object',
    required: ['agent_id', 'score'],
    properties: { agent_id: { type: 'string', maxLength: 64 }, score: { type: 'number' } },
  },
});
/** Agents of one list; the most an aggregator tells at once. */
const LOOKED_AT = 200;
/** Praise for nothing gives 5 points at most, and money that nobody answers for 9 (docs/reputation.md). */
const HAD_FOR_NOTHING = 14;

/** Agents of one kind to hire, in random order: of the best rank, or heard of last. */
export async function candidates(
  { aggregators, contracts, random }: { aggregators: AggregatorCalls; contracts: Contracts; random: Random },
  capability: string | undefined,
  kind: Kind,
): Promise<string[]> {
  const url = pick(aggregators.urls, random);
  if (url === undefined) return [];
  const sort = kind === 'new' ? 'recent' : 'reputation';
  const found = await aggregators.get({ url, path: '/agents', query: { sort, limit: LOOKED_AT, capability } });
  if (contracts.problems(LIST, found).length > 0) return [];
  return shuffled(
    (found as readonly Listed[])
      .filter(({ score }) => score > HAD_FOR_NOTHING === (kind === 'known'))
      .flatMap(({ agent_id }) => normaliseAgentId(agent_id) ?? []),
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
