/** That these two belong together: two agents, or an agent and its owner's wallet or its host. */
export type Bond = readonly [one: string, other: string];

/** Those to whom an agent belongs. */
export interface Belonging {
  readonly id: string;
  /** The wallets that own the agent; agents that share one are one cluster. */
  readonly belongs: readonly string[];
  /** Its host: agents that share one are a cluster with it, but for anchors. */
  readonly host?: string | undefined;
}

/** Agents that belong together, by key, owner link or host; numbered in bytewise order of their smallest members. */
export interface Clusters {
  readonly count: number;
  /** The number of the cluster of each agent, by the place of the agent in the list. */
  readonly of: Int32Array;
  /** The place of the bytewise smallest agent of each cluster, which names it. */
  readonly first: Int32Array;
  /** The number of the cluster of a member, an agent or not; undefined where no agent belongs to it. */
  numberOf(member: string): number | undefined;
}

/**
 * The bonds of agents by owner and host. An anchor is listed for its own spending, and that of its owner: whoever takes a place at
 * its host is no part of it, and it is none of them.
 */
export function bondsOf(agents: readonly Belonging[], anchors: ReadonlySet<string>): Bond[] {
  const wallets = new Set(agents.flatMap(({ id, belongs }) => (anchors.has(id) ? belongs : [])));
  return agents.flatMap(({ id, belongs, host }): Bond[] => {
    const owned = belongs.map((to): Bond => [id, to]);
    if (host === undefined || anchors.has(id) || belongs.some((wallet) => wallets.has(wallet))) return owned;
    return [...owned, [id, guestsOf(host, anchors)]];
  });
}

/** Names the cluster of a host's agents: its own, but for that of an anchor. */
export function guestsOf(host: string, anchors: ReadonlySet<string>): string {
  return anchors.has(host) ? `guests of ${host}` : host;
}

/** Puts agents, given in bytewise order and each once, into clusters. */
export function clustersOf(agents: readonly string[], bonds: readonly Bond[]): Clusters {
  const parents = new Map<string, string>();
  for (const [one, other] of bonds) {
    const [first, second] = [rootOf(parents, one), rootOf(parents, other)];
    if (first !== second) parents.set(first, second);
  }
  const of = new Int32Array(agents.length);
  const first: number[] = [];
  const numbers = new Map<string, number>();
  for (const [place, agent] of agents.entries()) {
    // Most agents belong to nobody.
    const root = parents.size === 0 ? agent : rootOf(parents, agent);
    const known = parents.size === 0 ? undefined : numbers.get(root);
    of[place] = known ?? first.length;
    if (known !== undefined) continue;
    if (parents.size > 0) numbers.set(root, first.length);
    first.push(place);
  }
  const numberOf = (member: string) => numbers.get(rootOf(parents, member));
  return { count: first.length, of, first: Int32Array.from(first), numberOf };
}

function rootOf(parents: Map<string, string>, member: string): string {
  let root = member;
  for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
  // Shortens the way for the next look-up.
  for (let step = member; step !== root; ) {
    const parent = parents.get(step)!;
    parents.set(step, root);
    step = parent;
  }
  return root;
}
