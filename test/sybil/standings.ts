/** What an aggregator shows of everybody of a world. */
export interface Standing {
  readonly score: number;
  readonly rank: number;
  /** USDC that count behind the score. */
  readonly grounded: number;
}

export interface Standings {
  /** By the number of the person. */
  readonly of: readonly Standing[];
  readonly yardstick: number;
}

/** Of somebody that nothing is known of. */
export const UNKNOWN: Standing = { score: 0, rank: -28.62, grounded: 0 };
