import type { Vector } from './entropy.ts';
import { FLAGGED, LOW_VARIANCE, ONE } from './parameters.ts';

export interface Rolling {
  readonly mean: number;
  /** Of the population. */
  readonly variance: number;
  /** An anomaly that is there in every epoch and hardly moves: somebody stays below a limit on purpose. */
  readonly isSteady: boolean;
  readonly isHigh: boolean;
}

/** Mean and variance of the anomaly over epochs with something to judge. */
export function rollingOf(vectors: readonly Pick<Vector, 'anomaly'>[]): Rolling {
  const count = vectors.length;
  if (count === 0) return { mean: 0, variance: 0, isSteady: false, isHigh: false };
  const anomalies = vectors.map(({ anomaly }) => anomaly / ONE);
  const mean = anomalies.reduce((sum, value) => sum + value, 0) / count;
  const variance = anomalies.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  const isSteady = variance < LOW_VARIANCE.variance && mean > LOW_VARIANCE.mean && count >= LOW_VARIANCE.epochs;
  return { mean, variance, isSteady, isHigh: mean > FLAGGED / ONE };
}
