export type Outcome = 'positive' | 'neutral' | 'negative';

/** Events counted for an agent so far, whatever they weigh. */
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

export const NOTHING_COUNTED: Counts = { positive: 0, neutral: 0, negative: 0, abandoned: 0, unpaid: 0 };

export function counted(counts: Counts, kind: keyof Counts): Counts {
  return { ...counts, [kind]: (counts[kind] ?? 0) + 1 };
}

/** The outcome a rating is counted under: the one stated, unless the sign of its score says the opposite. */
export function countedOutcome({ score, outcome }: { readonly score: number; readonly outcome: Outcome }): Outcome {
  if (outcome === 'positive' && score < 0) return 'negative';
  if (outcome === 'negative' && score > 0) return 'positive';
  return outcome;
}
