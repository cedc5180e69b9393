import { RateLimiter } from '../../http/limits.ts';
import type { IngestParts } from './ingest.ts';

/** The new keys that each network may tell of, which all that write in this process take from. */
export function newKeysOf({ newKeys, limits, clock }: Pick<IngestParts, 'newKeys' | 'limits' | 'clock'>): RateLimiter {
  return newKeys ?? new RateLimiter({ rate: limits.newKeysPerHour, window: 3600 }, clock);
}
