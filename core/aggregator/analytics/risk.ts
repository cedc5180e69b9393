import type { Space } from '../../storage/space.ts';
import { behaviourRef, standings } from '../store/analytics.ts';
import { coordinationOf } from './behaviour.ts';

/** The present anomaly of an agent, and C of its cluster by behaviour, in millionths; 0 of whom nothing is present. */
export async function riskOf(
  space: Space,
  agentId: string,
): Promise<{ readonly anomaly: number; readonly coordination: number }> {
  const [standing, found] = await Promise.all([space.get(standings.ref(agentId)), space.get(behaviourRef)]);
  const cluster = found?.clusters.find(({ agents }) => agents.includes(agentId));
  return {
    anomaly: standing?.counted ? (standing.latest?.anomaly ?? 0) : 0,
    coordination: cluster ? coordinationOf(cluster.agents.length) : 0,
  };
}
