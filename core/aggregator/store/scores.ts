import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection, lease, log, type Ref } from '../../storage/declarations.ts';

export type StoredPair = SchemaTypes['stored-pair'];
export type StoredDeeds = SchemaTypes['stored-deeds'];
export type StoredExplanation = SchemaTypes['stored-explanation'];
export type StoredScoreRun = SchemaTypes['stored-score-run'];
export type StoredScoreChange = SchemaTypes['stored-score-change'];

/** What each agent paid another and said of it: the sums that scores are computed from. */
export const pairs = collection<StoredPair>('pairs', { schema: 'stored-pair', shared: true });

export function pairRef(from: string, to: string): Ref<StoredPair> {
  return pairs.ref(`${from}>${to}`);
}

/** What agents burnt, abandoned, and lost in disputes, by key; who is not here did none of it. */
export const deeds = collection<StoredDeeds>('deeds', { schema: 'stored-deeds' });

/**
 * What the ledger changed of these facts, until the job that scores has read it; what agents signed is in the activity
 * log.
 */
export const scoreChanges = log<StoredScoreChange>('score-changes', { schema: 'stored-score-change' });

/** What the last run that changed an agent's score found behind it, by agent. */
export const explanations = collection<StoredExplanation>('explanations', { schema: 'stored-explanation' });

const runs = collection<StoredScoreRun>('score-runs', { schema: 'stored-score-run', shared: true });
export const lastRunRef = runs.ref('last');

/** How long a process that has stopped without a word keeps others from scoring. */
export const SCORING_MS = 30_000;

const scoring = lease<{ readonly by: string }>('scoring', { ms: SCORING_MS, schema: () => [] });
/** Which of several processes on one store computes the scores. */
export const scoringRef = scoring.ref('who');
