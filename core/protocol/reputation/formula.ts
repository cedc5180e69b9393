import type { Evidence } from './evidence.ts';
import * as parameters from './parameters.ts';

const { ABANDONED, FLOOR, FREE_DOWN, FREE_UP, PRIOR, RAW_DOWN, RAW_UNIT, RAW_UP, SPREAD, TOP, W_MOST, W_YARD } =
  parameters;

/** The score, the rank and their parts, computed from an agent's evidence. */
export interface Scored {
  /** -100 to 100, a whole number, halves away from zero. */
  readonly score: number;
  /** The same before it is rounded. */
  readonly exact: number;
  /** The number that orders the leaderboard: free praise does not count, and little evidence lowers it. */
  readonly rank: number;
  /** Where the points come from; they add up to `exact`. */
  readonly points: Points;
  /** The share of the score that is evidence, 0 to 1. */
  readonly confidence: number;
}

export interface Points {
  readonly grounded: number;
  readonly raw: number;
  readonly free: number;
  /** Points that bad ratings cost: with grounded money, with other money, and without money. */
  readonly blame: number;
  readonly abandoned: number;
  /** Disputes that the ledger ended against it. */
  readonly disputes: number;
}

/** The score of an agent against the yardstick, both in USDC of grounded mass. */
export function scoredBy(evidence: Evidence, yardstick: number): Scored {
  const { mass, rawUp, rawDown, abandoned, disputes } = evidence;
  const grounded = mass > 0 ? Math.min(W_MOST, W_YARD * Math.sqrt(mass / yardstick)) : 0;
  const up = Math.min(RAW_UP, Math.sqrt(rawUp.usdc / RAW_UNIT));
  const down = Math.min(RAW_DOWN, Math.sqrt(rawDown.usdc / RAW_UNIT));
  const freeUp = Math.min(FREE_UP, evidence.freeUp);
  const freeDown = Math.min(FREE_DOWN, evidence.freeDown);

  const groundedSum = grounded * meanOf(evidence.sum, mass);
  const blameSum = grounded * meanOf(evidence.blameSum, mass);
  const rawUpSum = up * meanOf(rawUp.sum, rawUp.usdc);
  const rawDownSum = down * meanOf(rawDown.sum, rawDown.usdc);
  const firm = grounded + up + down + freeDown + abandoned + disputes.mass;
  const firmSum = groundedSum + rawUpSum + rawDownSum - 100 * freeDown + ABANDONED * abandoned + disputes.sum;
  const all = PRIOR + firm + freeUp;
  const exact = (firmSum + 100 * freeUp) / all;

  const lift =
    grounded * meanOf(evidence.rankSum - evidence.sum, mass) + up * meanOf(rawUp.rankSum - rawUp.sum, rawUp.usdc);
  const rank = (firmSum + lift) / (PRIOR + firm) - SPREAD / Math.sqrt(PRIOR + grounded + up);
  return {
    score: rounded(exact),
    exact,
    rank,
    points: {
      grounded: (groundedSum - blameSum) / all,
      raw: rawUpSum / all,
      free: (100 * freeUp) / all,
      blame: (blameSum + rawDownSum - 100 * freeDown) / all,
      abandoned: (ABANDONED * abandoned) / all,
      disputes: disputes.sum / all,
    },
    confidence: (all - PRIOR) / all,
  };
}

/**
 * The shown score and rank after idle epochs, which shrink numbers above 0. The rank has steps of a hundredth, so
 * that a distant change does not reorder everybody.
 */
export function shownOf(
  { exact, rank }: Scored,
  idleFactor: number,
): { readonly score: number; readonly rank: number } {
  return {
    score: rounded(exact > 0 ? exact * idleFactor : exact),
    rank: Math.round(100 * (rank > 0 ? rank * idleFactor : rank)) / 100 || 0,
  };
}

/**
 * The grounded mass that others are measured by: the median of the largest ones, in steps of 2^(1/8) so that a
 * leaderboard is not ordered anew for nothing.
 */
export function yardstickOf(masses: Float64Array | readonly number[]): number {
  const sorted = Float64Array.from(masses).sort();
  const top = Math.min(TOP, sorted.length);
  return stepBelow(Math.max(FLOOR, sorted[sorted.length - 1 - Math.floor(top / 2)] ?? 0));
}

const STEPS_TO_DOUBLE = 8;
const STEP = 2 ** (1 / STEPS_TO_DOUBLE);

/** The largest step from the floor that is not above the mass. Multiplication alone: everybody gets the same bits. */
function stepBelow(mass: number): number {
  let step = FLOOR;
  while (step * 2 <= mass) step *= 2;
  while (step * STEP <= mass) step *= STEP;
  return step;
}

function meanOf(sum: number, mass: number): number {
  return mass > 0 ? sum / mass : 0;
}

/** Halves away from zero; what differs from a half by rounding alone counts as one. */
function rounded(value: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) + 0.5 + 1e-9) || 0;
}
