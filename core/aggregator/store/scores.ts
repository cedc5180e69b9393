import type { SchemaTypes } from '../../../schemas/types.ts';
import { appendLog, collection, expiring, type Ref } from '../../storage/declarations.ts';

export type StoredPair = SchemaTypes['stored-pair'];
export type StoredDeeds = SchemaTypes['stored-deeds'];
export type StoredExplanation = SchemaTypes['stored-explanation'];
export type StoredScoreRun = SchemaTypes['stored-score-run'];
export type StoredScoreChange = SchemaTypes['stored-score-change'];

/** The payments and ratings that each agent gave another: the sums that scores are computed from. */
export const pairs = collection<StoredPair>('pairs', { schema: 'stored-pair', shared: true });

export function pairRef(from: string, to: string): Ref<StoredPair> {
  return pairs.ref(`${from}>${to}`);
}

/** The sums that agents burnt, abandoned, and lost in disputes, by key; an agent without any has no document. */
export const deeds = collection<StoredDeeds>('deeds', { schema: 'stored-deeds' });

/**
 * The ledger's changes of these facts, until the scoring job has read them; those that agents signed are in the
 * activity log.
 */
export const scoreChanges = appendLog<StoredScoreChange>('score-changes', { schema: 'stored-score-change' });

/** The evidence behind an agent's score, by agent, from the last run that changed the score or knew of something new that was told of the agent. */
export const explanations = collection<StoredExplanation>('explanations', { schema: 'stored-explanation' });

const runs = collection<StoredScoreRun>('score-runs', { schema: 'stored-score-run', shared: true });
export const lastRunRef = runs.ref('last');

/** How long a process that has stopped without a word keeps others from scoring. */
export const SCORING_MS = 30_000;

const scoring = expiring<{ readonly by: string }>('scoring', { ms: SCORING_MS, schema: () => [] });
/** Which of several processes on one store computes the scores. */
export const scoringRef = scoring.ref('who');
