import { type Trend, trendOf } from '../../protocol/reputation/trend.ts';
import { feedbackCount, type StoredAgent } from '../store/agents.ts';

/** The counts and scores that every answer about an agent carries. */
export interface Ratings {
  readonly total_score: number;
  readonly average_score: number;
  readonly trend: Trend;
  readonly feedback_count: number;
  readonly positive_count: number;
  readonly neutral_count: number;
  readonly negative_count: number;
  readonly verdict_count: number;
}

export function ratingsOf(agent: StoredAgent): Ratings {
  const { counts, scores } = agent.standing;
  const feedback = feedbackCount(agent);
  const total = totalScore(agent);
  return {
    total_score: total,
    average_score: feedback === 0 ? 0 : Math.round((total / feedback) * 100) / 100 || 0,
    trend: trendOf(scores),
    feedback_count: feedback,
    positive_count: counts.positive,
    neutral_count: counts.neutral,
    negative_count: counts.negative,
    verdict_count: agent.verdicts,
  };
}

/** The sum of its ratings. For ratings counted before sums were kept, the mean of the last ones stands for each. */
export function totalScore(agent: StoredAgent): number {
  const { total, scores } = agent.standing;
  if (total !== undefined || scores.length === 0) return total ?? 0;
  return Math.round((scores.reduce((sum, score) => sum + score, 0) / scores.length) * feedbackCount(agent));
}

/** When its counts last changed, Unix seconds. */
export function updatedAt({ standing, first_seen }: StoredAgent): number {
  return Math.floor((standing.updated ?? first_seen) / 1000);
}
