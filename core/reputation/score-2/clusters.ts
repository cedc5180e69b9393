/** That these two belong together: two agents, or an agent and its owner's wallet or its host. */
export type Bond = readonly [one: string, other: string];

/** Agents that belong together, by key, owner link or host; numbered in bytewise order of their smallest members. */
export interface Clusters {
  readonly count: number;
  /** The number of an agent's cluster; undefined for an agent that was not named. */
  of(agent: string): number | undefined;
  /** The bytewise smallest agent of a cluster, which names it. */
  nameOf(cluster: number): string;
}

export function clustersOf(agents: readonly string[], bonds: readonly Bond[]): Clusters {
  const parents = new Map<string, string>();
  for (const [one, other] of bonds) {
    const [first, second] = [rootOf(parents, one), rootOf(parents, other)];
    if (first !== second) parents.set(first, second);
  }
  const names = new Map<string, string>();
  const sorted = [...new Set(agents)].sort();
  for (const agent of sorted) {
    const root = rootOf(parents, agent);
    if (!names.has(root)) names.set(root, agent);
  }
  const order = [...names.values()];
  const numbers = new Map(order.map((name, index) => [name, index]));
  const byAgent = new Map(sorted.map((agent) => [agent, numbers.get(names.get(rootOf(parents, agent))!)!]));
  return { count: order.length, of: (agent) => byAgent.get(agent), nameOf: (cluster) => order[cluster]! };
}

function rootOf(parents: Map<string, string>, member: string): string {
  let root = member;
  for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
  // Shortens the way for the next who asks.
  for (let step = member; step !== root; ) {
    const parent = parents.get(step)!;
    parents.set(step, root);
    step = parent;
  }
  return root;
}
