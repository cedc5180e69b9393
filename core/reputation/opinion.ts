import {
  broughtTo,
  type Counts,
  decay,
  type Evidence,
  IDLE_FACTOR,
  NO_EVIDENCE,
  plus,
  RECENT_SCORES,
  type Standing,
} from './standing.ts';

/**
 * What one cluster of raters thinks of one agent: a document per (cluster, agent). Its value is the mean of the
 * cluster's ratings, each by its decayed weight; it weighs as much as the heaviest of them, so a hundred ratings of
 * one cluster are still one opinion.
 */
export interface Opinion {
  readonly epoch: number;
  /** The standing's `worn` and `key_changes` when this was written. */
  readonly worn: number;
  readonly key_changes: number;
  readonly sum: number;
  readonly weight: number;
  readonly heaviest: number;
}

export type Outcome = 'positive' | 'neutral' | 'negative';

/** One FEEDBACK that counts. */
export interface Rating {
  /** -100 to 100. */
  readonly score: number;
  readonly outcome: Outcome;
  /** From `ratingWeight`, as far as the cluster's budget grants it; 0 counts the rating and moves nothing. */
  readonly weight: number;
  /** The epoch in which it was signed. */
  readonly epoch: number;
}

/** After this many epochs an untouched opinion weighs less than a millionth of what it did; it may be forgotten. */
export const OPINION_LIFETIME = 1_800;

/** Adds a rating that is counted in epoch `now`. Store both documents in one transaction. */
export function rate(
  standing: Standing,
  opinion: Opinion | undefined,
  rating: Rating,
  now: number,
): { readonly standing: Standing; readonly opinion: Opinion } {
  const base = broughtTo(standing, now);
  const before = opinionAt(opinion, base);
  const weight = rating.weight * decay(Math.max(0, base.epoch - rating.epoch));
  const after: Opinion = {
    ...before,
    sum: before.sum + weight * rating.score,
    weight: before.weight + weight,
    heaviest: Math.max(before.heaviest, weight),
  };
  const swapped = withShare(withShare(base, before, -1), after, 1);
  return {
    opinion: after,
    standing: {
      ...swapped,
      active: Math.max(base.active, rating.epoch),
      counts: counted(base.counts, countedOutcome(rating)),
      scores: [rating.score, ...base.scores].slice(0, RECENT_SCORES),
    },
  };
}

/** The outcome a rating is counted under: the one stated, unless the sign of its score says the opposite. */
export function countedOutcome(rating: Pick<Rating, 'score' | 'outcome'>): Outcome {
  if (rating.outcome === 'positive' && rating.score < 0) return 'negative';
  if (rating.outcome === 'negative' && rating.score > 0) return 'positive';
  return rating.outcome;
}

export function counted(counts: Counts, kind: keyof Counts): Counts {
  return { ...counts, [kind]: (counts[kind] ?? 0) + 1 };
}

/** An opinion as of the standing's epoch, after the same decay, idleness and key changes. */
function opinionAt(opinion: Opinion | undefined, standing: Standing): Opinion {
  const { epoch, worn, key_changes } = standing;
  if (!opinion) return { epoch, worn, key_changes, sum: 0, weight: 0, heaviest: 0 };
  const halved = opinion.sum > 0 ? 0.5 ** (key_changes - opinion.key_changes) : 1;
  const left = decay(epoch - opinion.epoch) * halved;
  const wear = IDLE_FACTOR ** (worn - opinion.worn);
  return {
    epoch,
    worn,
    key_changes,
    sum: opinion.sum * left * wear,
    weight: opinion.weight * left,
    heaviest: opinion.heaviest * left,
  };
}

function withShare(standing: Standing, opinion: Opinion, sign: 1 | -1): Standing {
  const kind = opinion.sum > 0 ? 'positive' : 'negative';
  return { ...standing, [kind]: plus(standing[kind], shareOf(opinion), sign) };
}

/** What an opinion adds to its agent's standing. */
function shareOf(opinion: Opinion): Evidence {
  if (opinion.weight <= 0) return NO_EVIDENCE;
  return { sum: opinion.heaviest * (opinion.sum / opinion.weight), weight: opinion.heaviest };
}
