export type Trend = 'rising' | 'stable' | 'falling';

/** From the last scores, newest first: the mean of the newer half against that of the older, 5 points apart. */
export function trendOf(scores: readonly number[]): Trend {
  if (scores.length < 6) return 'stable';
  const half = Math.floor(scores.length / 2);
  const change = mean(scores.slice(0, half)) - mean(scores.slice(half));
  return change > 5 ? 'rising' : change < -5 ? 'falling' : 'stable';
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
