import { confidenceAt, lowerBoundAt, scoreAt } from './score.ts';
import {
  broughtTo,
  type Counts,
  type Evidence,
  IDLE_FACTOR,
  idleEpochs,
  NO_EVIDENCE,
  PRIOR_WEIGHT,
  type Standing,
  totalWeight,
} from './standing.ts';
import { type Trend, trendOf } from './trend.ts';

/** Why an agent has the score it has; the answer of `GET /reputation/:agent_id`. Numbers have at most four decimals. */
export interface Explanation {
  readonly version: 1;
  readonly score: number;
  /** What the leaderboard ranks by. */
  readonly lower_bound: number;
  /** 0 to 1: the share of the score that is evidence and not prior. */
  readonly confidence: number;
  /** Points add up to the score before rounding. */
  readonly components: {
    readonly positive: Component;
    readonly negative: Component;
    readonly abandoned: Component;
    readonly disputes: Component;
    readonly prior: Component;
  };
  readonly idle: {
    /** Epochs beyond the sixth without a deal. */
    readonly epochs: number;
    /** What is left of a positive score after them. */
    readonly factor: number;
  };
  readonly key_changes: number;
  readonly last_active_epoch: number;
  readonly counts: Required<Counts> & { readonly total: number };
  readonly trend: Trend;
  /** Newest first, at most ten. */
  readonly recent_scores: readonly number[];
}

export interface Component {
  readonly weight: number;
  readonly points: number;
}

export function explain(standing: Standing, epoch: number): Explanation {
  const current = broughtTo(standing, epoch);
  const { positive, negative, abandoned, counts } = current;
  const scale = 1 / (PRIOR_WEIGHT + totalWeight(current));
  const idle = idleEpochs(current.active, current.epoch);
  return {
    version: 1,
    score: scoreAt(current, epoch),
    lower_bound: short(lowerBoundAt(current, epoch)),
    confidence: short(confidenceAt(current, epoch)),
    components: {
      positive: component(positive, scale),
      negative: component(negative, scale),
      abandoned: component(abandoned, scale),
      disputes: component(current.disputes ?? NO_EVIDENCE, scale),
      prior: { weight: PRIOR_WEIGHT, points: 0 },
    },
    idle: { epochs: idle, factor: short(IDLE_FACTOR ** idle) },
    key_changes: current.key_changes,
    last_active_epoch: current.active,
    counts: { conceded: 0, burnt: 0, lost: 0, ...counts, total: counts.positive + counts.neutral + counts.negative },
    trend: trendOf(current.scores),
    recent_scores: current.scores,
  };
}

function component(evidence: Evidence, scale: number): Component {
  return { weight: short(evidence.weight), points: short(evidence.sum * scale) };
}

function short(value: number): number {
  return Math.round(value * 10_000) / 10_000 || 0;
}
