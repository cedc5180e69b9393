import type { SchemaTypes } from '../../../schemas/types.ts';
import { NO_RATINGS, type RatingTally } from './own-ratings.ts';

type Vector = SchemaTypes['reputation-vector'];
type Told = NonNullable<SchemaTypes['aggregator-word']['reputation']>;

export interface Facts {
  readonly own: SchemaTypes['own-experience'] | undefined;
  readonly aggregators: SchemaTypes['aggregator-word'][];
  /** The epoch in which this node last heard of the agent. */
  readonly heardIn: number | undefined;
}

const THOUSANDTHS = 1_000;

/** The reputation of an agent as this node knows it; undefined when nobody has heard of it and everybody was asked. */
export function vectorOf(agent_id: string, { own, aggregators, heardIn }: Facts): Vector | undefined {
  const from = aggregators.find(({ state }) => state === 'known') ?? aggregators.find(({ reputation }) => reputation);
  const told = from?.reputation ?? undefined;
  const isAway = aggregators.some(({ state }) => state === 'away');
  if (!told && !own && heardIn === undefined && !isAway) return undefined;
  const reliability = told ? Math.round(told.average_score * told.idle.factor * THOUSANDTHS) : 0;
  return {
    agent_id,
    score: told?.score ?? null,
    components: told?.points ?? null,
    confidence: told?.confidence ?? null,
    decay: told?.idle ?? null,
    trend: told?.trend ?? null,
    version: told?.version ?? null,
    as_of: told?.as_of ?? null,
    source: from && told ? { url: from.url, state: from.state, asked_at: from.asked_at! } : null,
    own: own ?? null,
    aggregators,
    ...{ reliability, cooperation: reliability },
    notary_accuracy: meanOf((own?.ratings ?? NO_RATINGS).given_as_notary),
    total_tasks: told?.feedback_count ?? 0,
    total_disputes: told?.dispute_count ?? 0,
    last_active_epoch: Math.max(lastActive(told), heardIn ?? 0),
  };
}

function lastActive(told: Told | undefined): number {
  return told?.last_active_epoch ?? 0;
}

function meanOf({ count, total_score }: RatingTally): number {
  return count === 0 ? 0 : Math.round((total_score / count) * THOUSANDTHS);
}
