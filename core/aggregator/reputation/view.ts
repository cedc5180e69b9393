import type { SchemaTypes } from '../../../schemas/types.ts';
import { explain } from '../../reputation/explanation.ts';
import { scoreAt } from '../../reputation/score.ts';
import { feedbackCount, type StoredAgent } from '../store/agents.ts';
import { isoTime } from '../times.ts';

export type Reputation = SchemaTypes['reputation'];
export type Leader = SchemaTypes['leader'];

/** An agent's score with everything it is made of. */
export function reputationOf(agent: StoredAgent, epoch: number): Reputation {
  const { counts, recent_scores, ...explained } = explain(agent.standing, epoch);
  const { total, ...kinds } = counts;
  return {
    agent_id: agent.agent_id,
    ...explained,
    counts: kinds,
    feedback_count: total,
    recent_scores: [...recent_scores],
  };
}

/** A row of the leaderboard but for its place. */
export function leaderOf(agent: StoredAgent, epoch: number): Omit<Leader, 'rank'> {
  const { counts } = agent.standing;
  return {
    agent_id: agent.agent_id,
    name: agent.name,
    score: scoreAt(agent.standing, epoch),
    lower_bound: Math.round(agent.ranked.rank * 10_000) / 10_000 || 0,
    feedback_count: feedbackCount(agent),
    positive_count: counts.positive,
    neutral_count: counts.neutral,
    negative_count: counts.negative,
    ...(agent.country !== undefined && { country: agent.country }),
    last_seen: isoTime(agent.last_seen),
  };
}

/** The row in its place, which counts from 1. */
export function withRank(rank: number, row: string): string {
  return `{"rank":${rank},${row.slice(1)}`;
}
