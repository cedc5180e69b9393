import { type AgentSums, type Deeds, deedsAt } from './sums.ts';

/** The most keys that one agent has had: a name that has moved so often begins anew. */
export const MOST_KEYS = 32;

/** The members of a key that was replaced. */
export interface Replaced {
  /** The key that replaced this one: the ratings of this one count for it. */
  readonly heir?: string | undefined;
  /** The wallet and the host that it had until then: deals among their agents count for nothing for ever. */
  readonly left?: readonly string[] | undefined;
}

/** Which key speaks for each key now, by ranks in bytewise order. */
export interface Lineage {
  /** The newest key of the agent that had this one; itself for a key that was not replaced. */
  readonly heirs: Int32Array;
  /** How many keys count for this one, itself among them; 0 for a replaced one. */
  readonly keys: Int32Array;
  /** The last epoch in which one of them took part in a deal. */
  readonly active: Int32Array;
}

/** Undefined when no key was replaced, which costs no more than a look at each agent. `order` gives places by rank. */
export function lineageOf(
  agents: readonly (AgentSums & Replaced)[],
  order: Int32Array,
  rankOf: Int32Array,
  placeOf: (id: string) => number | undefined,
): Lineage | undefined {
  if (!agents.some(({ heir }) => heir !== undefined)) return undefined;
  const heirs = Int32Array.from(order.keys());
  const keys = new Int32Array(order.length);
  const active = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) {
    let place = order[rank]!;
    for (let step = 0; step < MOST_KEYS; step++) {
      const { heir } = agents[place]!;
      const next = heir === undefined ? undefined : placeOf(heir);
      if (next === undefined) break;
      place = next;
    }
    heirs[rank] = rankOf[place]!;
    keys[heirs[rank]!]! += 1;
    active[heirs[rank]!] = Math.max(active[heirs[rank]!]!, agents[order[rank]!]!.active);
  }
  return { heirs, keys, active };
}

/** 1 for each pair whose money went to a key that was replaced, or that replaced another. */
export function silentPairs(
  { heirs, keys }: Lineage,
  { to, count }: { readonly to: Int32Array; readonly count: number },
  rankOf: Int32Array,
): Uint8Array {
  return Uint8Array.from({ length: count }, (_, pair) => {
    const rank = rankOf[to[pair]!]!;
    return keys[rank]! > 1 || heirs[rank] !== rank ? 1 : 0;
  });
}

/**
 * Whether two were of one cluster before a key of theirs was replaced, by the clusters in which they are now: otherwise an agent would turn the
 * praise of its own kind into that of others by moving away.
 */
export function wereTogether(
  [speaker, rated]: readonly [Replaced, Replaced],
  [raters, targets]: readonly [number, number],
  numberOf: (member: string) => number | undefined,
): boolean {
  const were = ({ left = [] }: Replaced, cluster: number) => left.some((one) => numberOf(one) === cluster);
  return were(rated, raters) || were(speaker, targets);
}

type Counted = Pick<Deeds, 'abandoned' | 'disputes'>;

/** Deals that agents left undone and disputes that they lost, by rank and decayed to an epoch; those of replaced keys count for their heirs, whole. */
export function inheritedDeeds(
  agents: readonly AgentSums[],
  order: Int32Array,
  heirs: Int32Array,
  epoch: number,
): Counted[] {
  const sums: Counted[] = Array.from(order, () => ({ abandoned: 0, disputes: { mass: 0, sum: 0 } }));
  for (let rank = 0; rank < order.length; rank++) {
    const { abandoned, disputes } = deedsAt(agents[order[rank]!]!, epoch);
    const sum = sums[heirs[rank]!]!;
    sums[heirs[rank]!] = {
      abandoned: sum.abandoned + abandoned,
      disputes: { mass: sum.disputes.mass + disputes.mass, sum: sum.disputes.sum + disputes.sum },
    };
  }
  return sums;
}
