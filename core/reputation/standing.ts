/**
 * What an aggregator knows of one agent's reputation: one small JSON document, brought forward in closed form. All
 * evidence shares one half-life, so sums of it decay by one factor, and nothing has to be recomputed as time passes.
 * Times are epochs; see PROTOCOL 17.
 */
export interface Standing {
  readonly version: 1;
  /** The epoch as of which the sums below hold. */
  readonly epoch: number;
  /** The last epoch in which the agent took part in a deal or was rated. */
  readonly active: number;
  /** Idle epochs whose decay is inside the sums. */
  readonly worn: number;
  /** How often the agent's key was replaced. */
  readonly key_changes: number;
  /** Opinions above zero, the other opinions, and abandoned deals. */
  readonly positive: Evidence;
  readonly negative: Evidence;
  readonly abandoned: Evidence;
  /** Disputes on the ledger that ended against the agent; absent in standings written before there were any. */
  readonly disputes?: Evidence;
  readonly counts: Counts;
  /** The last ten scores given, newest first. */
  readonly scores: readonly number[];
}

/** `sum` is weight times score, added up. */
export interface Evidence {
  readonly sum: number;
  readonly weight: number;
}

export interface Counts {
  readonly positive: number;
  readonly neutral: number;
  readonly negative: number;
  /** Deals this agent left undelivered with money locked for it. */
  readonly abandoned: number;
  /** Deals this agent agreed to lock money for, and did not. */
  readonly unpaid: number;
  /** Disputes this agent conceded as a provider, that ended in a burn, and that a notary decided against it. */
  readonly conceded?: number;
  readonly burnt?: number;
  readonly lost?: number;
}

export const HALF_LIFE = 90;
export const PRIOR_WEIGHT = 5;
/** Idle epochs that cost nothing. */
export const IDLE_FREE = 6;
export const IDLE_FACTOR = 0.95;
export const ABANDONED_SCORE = -50;
export const ABANDONED_WEIGHT = 1;
export const RECENT_SCORES = 10;
/** Below this, what is left of a sum is rounding. */
const DUST = 1e-9;

export const NO_EVIDENCE: Evidence = { sum: 0, weight: 0 };

/** The standing of an agent first seen in this epoch. */
export function newStanding(epoch: number): Standing {
  return {
    version: 1,
    epoch,
    active: epoch,
    worn: 0,
    key_changes: 0,
    positive: NO_EVIDENCE,
    negative: NO_EVIDENCE,
    abandoned: NO_EVIDENCE,
    counts: { positive: 0, neutral: 0, negative: 0, abandoned: 0, unpaid: 0 },
    scores: [],
  };
}

/** What is left of a weight after this many epochs. */
export function decay(epochs: number): number {
  return 2 ** (-epochs / HALF_LIFE);
}

/** Epochs of costly idleness at `epoch`. */
export function idleEpochs(active: number, epoch: number): number {
  return Math.max(0, epoch - active - IDLE_FREE);
}

/** The standing as of a later epoch; an earlier one leaves it as it is. */
export function broughtTo(standing: Standing, epoch: number): Standing {
  if (epoch <= standing.epoch) return standing;
  const left = decay(epoch - standing.epoch);
  const above = totalSum(standing) > 0;
  const idle = above ? idleEpochs(standing.active, epoch) - idleEpochs(standing.active, standing.epoch) : 0;
  const wear = IDLE_FACTOR ** idle;
  return {
    ...standing,
    epoch,
    worn: standing.worn + idle,
    positive: scaled(standing.positive, left * wear, left),
    negative: scaled(standing.negative, left * wear, left),
    abandoned: scaled(standing.abandoned, left * wear, left),
    ...(standing.disputes && { disputes: scaled(standing.disputes, left * wear, left) }),
  };
}

export function totalSum(standing: Standing): number {
  return standing.positive.sum + standing.negative.sum + standing.abandoned.sum + (standing.disputes?.sum ?? 0);
}

export function totalWeight(standing: Standing): number {
  const { positive, negative, abandoned, disputes } = standing;
  return positive.weight + negative.weight + abandoned.weight + (disputes?.weight ?? 0);
}

export function scaled(evidence: Evidence, sum: number, weight: number): Evidence {
  return { sum: evidence.sum * sum, weight: evidence.weight * weight };
}

export function plus(evidence: Evidence, other: Evidence, sign: 1 | -1 = 1): Evidence {
  const weight = evidence.weight + sign * other.weight;
  return weight < DUST ? NO_EVIDENCE : { sum: evidence.sum + sign * other.sum, weight };
}
