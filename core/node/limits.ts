import type { Limit } from '../plugin.ts';

/** Reads are generous: an agent may look at everything a hundred times a second. */
export const READS: Limit = { per: 'principal', rate: 6_000, window: 60 };

/** Calls that sign, write or move something. */
export const STEPS: Limit = { per: 'principal', rate: 600, window: 60 };

/**
 * Steps that answer strangers are counted apart from the owner's own, 600 in 60 seconds each (`CallBudget`). This is over
 * both, with room for those that were refused.
 */
export const ANSWERS: Limit = { per: 'principal', rate: 6_000, window: 60 };

/** Opening a stream or a session. */
export const OPENINGS: Limit = { per: 'ip', rate: 1_200, window: 60 };
