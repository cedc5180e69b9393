import type { DisputeRating } from '../deals/dispute-ratings.ts';
import { counted } from './opinion.ts';
import {
  ABANDONED_SCORE,
  ABANDONED_WEIGHT,
  broughtTo,
  decay,
  NO_EVIDENCE,
  plus,
  type Standing,
  scaled,
} from './standing.ts';

/** The agent took part in a deal in this epoch. Costs a write only once an epoch: the same standing comes back. */
export function touched(standing: Standing, epoch: number): Standing {
  if (epoch <= standing.active) return standing;
  return { ...broughtTo(standing, epoch), active: epoch };
}

/**
 * The agent let the deadline of a deal pass with money locked for it, as counted in epoch `now`. Every such deal
 * counts, whoever the other side was; it is no sign of activity.
 */
export function withAbandoned(standing: Standing, epoch: number, now: number): Standing {
  const base = broughtTo(standing, now);
  const weight = ABANDONED_WEIGHT * decay(Math.max(0, base.epoch - epoch));
  return {
    ...base,
    abandoned: plus(base.abandoned, { sum: weight * ABANDONED_SCORE, weight }),
    counts: counted(base.counts, 'abandoned'),
  };
}

/** A dispute on the ledger ended against the agent in epoch `epoch`, as counted in epoch `now`. */
export function withDispute(
  standing: Standing,
  { kind, score, weight }: Pick<DisputeRating, 'kind' | 'score' | 'weight'>,
  epoch: number,
  now: number,
): Standing {
  const base = broughtTo(standing, now);
  const left = weight * decay(Math.max(0, base.epoch - epoch));
  return {
    ...base,
    disputes: plus(base.disputes ?? NO_EVIDENCE, { sum: left * score, weight: left }),
    counts: counted(base.counts, kind),
  };
}

/** The agent agreed to lock money and did not. Shown, and not part of score 1. */
export function withUnpaid(standing: Standing): Standing {
  return { ...standing, counts: counted(standing.counts, 'unpaid') };
}

/** The agent's key was replaced: whoever holds the new one inherits half of the good and all of the bad. */
export function withNewKey(standing: Standing, now: number): Standing {
  const base = broughtTo(standing, now);
  return { ...base, positive: scaled(base.positive, 0.5, 0.5), key_changes: base.key_changes + 1 };
}
