import type { Limit } from '../http/route.ts';

/** Reads, which cost little: a page that shows a whole mesh makes hundreds at once. */
export const READS: Limit = { per: 'ip', rate: 6_000, window: 60 };

/** Sockets opened; many nodes may stand behind one address and come back at the same moment. */
export const OPENINGS: Limit = { per: 'ip', rate: 1_200, window: 60 };
