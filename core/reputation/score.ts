import { broughtTo, PRIOR_WEIGHT, type Standing, totalSum, totalWeight } from './standing.ts';

/** Half of the range of a score, times 1.28: one side of an 80 % interval, for evidence of weight 1. */
const SPREAD = 64;
/** Sums that differ by less are the same: the order of additions must not decide how a half is rounded. */
const EXACT = 1e-9;

/** The score shown to people: an integer from -100 to 100; 0 for an unknown agent. */
export function scoreAt(standing: Standing, epoch: number): number {
  return rounded(meanAt(standing, epoch));
}

/** The score before rounding: the weighted mean of the evidence and of a prior of weight 5 at 0. */
export function meanAt(standing: Standing, epoch: number): number {
  const current = broughtTo(standing, epoch);
  return totalSum(current) / (PRIOR_WEIGHT + totalWeight(current));
}

/** The score that the evidence supports: the mean less a margin that shrinks as evidence grows. */
export function lowerBoundAt(standing: Standing, epoch: number): number {
  const current = broughtTo(standing, epoch);
  return meanAt(current, epoch) - marginOf(totalWeight(current));
}

export function marginOf(weight: number): number {
  return SPREAD / Math.sqrt(PRIOR_WEIGHT + weight);
}

/** How much of the score is evidence and not prior: 0 for an unknown agent, towards 1 with many opinions. */
export function confidenceAt(standing: Standing, epoch: number): number {
  const weight = totalWeight(broughtTo(standing, epoch));
  return weight / (PRIOR_WEIGHT + weight);
}

/** To the nearest integer, halves away from zero. */
export function rounded(value: number): number {
  const size = Math.floor(Math.abs(value) + 0.5 + EXACT);
  return size === 0 ? 0 : Math.sign(value) * size;
}
