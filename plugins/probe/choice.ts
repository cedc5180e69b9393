import { MeshError } from '../../core/plugin.ts';
import type { AggregatorCalls, Clock, Contracts, Random, Self, Space } from '../../core/services.ts';
import { cameNew, type Limits, leftForAgent, leftForNew, requireNew } from './budget.ts';
import { candidates, type Kind } from './candidates.ts';
import type { Task } from './config.ts';
import { agentBudget, dayBudget, probes } from './stored.ts';

export interface ChoiceParts {
  readonly aggregators: AggregatorCalls;
  readonly contracts: Contracts;
  readonly self: Self;
  readonly clock: Clock;
  readonly random: Random;
  readonly space: Space;
}

export interface Price {
  readonly amount: bigint;
  readonly limits: Limits;
  /** The part of the draws for agents without standing. */
  readonly part: number;
}

export interface Chosen {
  readonly agent: string;
  /** Whether it counts towards what agents without standing may have. */
  readonly fresh: boolean;
}

/** Deals under way at a time. */
export const MOST_OPEN = 20;

/** One with standing or, as often as `part` says, one without; where there is none of that kind, one of the other. */
export async function choose(parts: ChoiceParts, { capability }: Task, price: Price): Promise<Chosen> {
  const { random, space, clock } = parts;
  const { amount, limits, part } = price;
  const kinds: readonly Kind[] = random.fraction() < part ? ['new', 'known'] : ['known', 'new'];
  const day = await space.get(dayBudget);
  const isNewOpen = leftForNew(day, limits, clock.now()) >= amount;
  let [named, isNewSpent] = [0, false];
  for (const kind of kinds) {
    const found = await candidates(parts, capability, kind);
    const able = await free(parts, found, kind, price);
    const chosen = able.find(({ fresh }) => isNewOpen || !fresh);
    if (chosen) return chosen;
    named += found.length;
    isNewSpent ||= able.length > 0;
  }
  if (isNewSpent) requireNew(day, amount, limits, clock.now());
  const detail =
    named === 0
      ? 'No aggregator of this node names an agent for the job; see mesh.aggregators, and the capabilities in plugins.probe.tasks.'
      : `None of the ${named} agents that an aggregator of this node names can be hired now: they are at work for a probe already, or have had maxPerAgent.`;
  throw new MeshError('probe_nobody', detail);
}

/** Those that are at no work for a probe, and have not had `maxPerAgent`; in their order. */
async function free(
  { self, space, clock }: ChoiceParts,
  found: readonly string[],
  kind: Kind,
  { amount, limits }: Price,
): Promise<Chosen[]> {
  const open = await space.page(probes, { index: 'open', limit: MOST_OPEN });
  const busy = new Set([self.id, ...open.map(({ value }) => value.agent_id)]);
  const idle = found.filter((id) => !busy.has(id));
  const spent = await space.getMany(idle.map(agentBudget));
  return idle.flatMap((agent, index) => {
    if (leftForAgent(spent[index], limits, clock.now()) < amount) return [];
    return { agent, fresh: kind === 'new' || cameNew(spent[index], clock.now()) };
  });
}
