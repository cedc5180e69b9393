import { createHash } from 'node:crypto';
import { type Bond, clustersOf } from '../../protocol/reputation/clusters.ts';
import { ALIKE, FULL_CLUSTER, ONE } from './parameters.ts';

/** A flagged agent, to be compared with others. */
export interface Compared {
  readonly agentId: string;
  /** Millionths. */
  readonly anomaly: number;
  /** The agents it dealt with; none where there were too many to tell. */
  readonly partners: readonly string[];
  /** The wallet of its owner, and its host. */
  readonly belongs: readonly string[];
}

export interface BehaviourCluster {
  /** Bytewise. */
  readonly agents: readonly string[];
  /** The mean distance of their anomalies from their mean, in millionths. */
  readonly mad: number;
  readonly mean: number;
}

/**
 * Groups of flagged agents that behave alike: their anomalies are close, and they deal with the same few agents or belong to
 * the same owner or host. The largest come first, then the one with the smallest member.
 */
export function behaviourClusters(all: readonly Compared[]): BehaviourCluster[] {
  const sorted = [...all].sort((one, other) => (one.agentId < other.agentId ? -1 : 1));
  const circles = sorted.map(({ agentId, partners }) => new Set(partners.length === 0 ? [] : [agentId, ...partners]));
  const bonds: Bond[] = [];
  for (const [place, one] of sorted.entries())
    for (let next = place + 1; next < sorted.length; next++) {
      const other = sorted[next]!;
      if (Math.abs(one.anomaly - other.anomaly) >= ALIKE) continue;
      const isOne = one.belongs.some((name) => other.belongs.includes(name));
      if (isOne || isShared(circles[place]!, circles[next]!)) bonds.push([one.agentId, other.agentId]);
    }
  const { count, of } = clustersOf(
    sorted.map(({ agentId }) => agentId),
    bonds,
  );
  const groups: Compared[][] = Array.from({ length: count }, () => []);
  for (const [place, agent] of sorted.entries()) groups[of[place]!]!.push(agent);
  return groups
    .filter(({ length }) => length > 1)
    .map((group) => ({ agents: group.map(({ agentId }) => agentId), ...spreadOf(group.map(({ anomaly }) => anomaly)) }))
    .sort((one, other) => other.agents.length - one.agents.length || (one.agents[0]! < other.agents[0]! ? -1 : 1));
}

/** Mean and mean absolute deviation, in whole millionths. */
export function spreadOf(values: readonly number[]): { readonly mean: number; readonly mad: number } {
  const count = Math.max(1, values.length);
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const mad = values.reduce((sum, value) => sum + Math.abs(value - mean), 0) / count;
  return { mean: Math.round(mean), mad: Math.round(mad) };
}

/** How much a cluster of this size weighs, in millionths. */
export function coordinationOf(size: number): number {
  return Math.round((ONE * Math.min(FULL_CLUSTER, Math.max(0, size - 1))) / FULL_CLUSTER);
}

/** The same for as long as the cluster has the same smallest member, or the same owner. */
export function clusterId(by: 'owner' | 'behaviour', name: string): string {
  return createHash('sha256').update(`${by}/${name}`).digest('hex').slice(0, 16);
}

/** More than half of the smaller circle: two providers with one customer in common share exactly half. */
function isShared(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let shared = 0;
  for (const name of small) if (large.has(name)) shared += 1;
  return 2 * shared > small.size;
}
