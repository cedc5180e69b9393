/** Two agents, the smaller id first, between whom money or praise went both ways. */
export interface FlowLink {
  readonly one: string;
  readonly other: string;
  readonly flow: number;
  /** Whether it is of money: minor units of USDC, and points of praise otherwise. */
  readonly isSettled: boolean;
}

export interface FlowCluster {
  /** The smallest id among its members, so that it stays while that one does. */
  readonly cluster_id: string;
  /** By id. */
  readonly agents: readonly string[];
  readonly links: number;
  /** Of all links inside, whatever they are of; it orders clusters. */
  readonly flow: number;
  /** The part of it that is minor units of USDC. */
  readonly usdc: number;
  /** The part of it that is points of praise. */
  readonly praise: number;
}

type Sums = { -readonly [K in 'links' | 'flow' | 'usdc' | 'praise']: FlowCluster[K] };

/** The sets of agents that links connect, the largest first, then by the flow inside, then by id. */
export function clustersOf(links: readonly FlowLink[]): FlowCluster[] {
  const parents = new Map<string, string>();
  for (const { one, other } of links) {
    const [a, b] = [rootOf(parents, one), rootOf(parents, other)];
    if (a < b) parents.set(b, a);
    else if (b < a) parents.set(a, b);
  }
  const found = new Map<string, Sums & { agents: Set<string> }>();
  for (const { one, other, flow, isSettled } of links) {
    const id = rootOf(parents, one);
    const cluster = found.get(id) ?? { agents: new Set(), links: 0, flow: 0, usdc: 0, praise: 0 };
    cluster.agents.add(one).add(other);
    cluster.links += 1;
    cluster.flow += flow;
    cluster[isSettled ? 'usdc' : 'praise'] += flow;
    found.set(id, cluster);
  }
  return [...found]
    .map(([cluster_id, { agents, ...rest }]) => ({ cluster_id, agents: [...agents].sort(), ...rest }))
    .sort((a, b) => b.agents.length - a.agents.length || b.flow - a.flow || (a.cluster_id < b.cluster_id ? -1 : 1));
}

/** The coefficient of coordination of a cluster of so many agents: 0 of one, 1 from eleven on. */
export function coordination(agents: number): number {
  return Math.max(0, Math.min(1, (agents - 1) / 10));
}

/** Roots are always smaller than those they lead. */
function rootOf(parents: Map<string, string>, id: string): string {
  let root = id;
  for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
  for (let at = id; at !== root; ) {
    const next = parents.get(at)!;
    parents.set(at, root);
    at = next;
  }
  return root;
}
