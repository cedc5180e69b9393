import type { RateLimiter } from '../../http/limits.ts';

/** Takes one from the caller's bucket, if there is one. */
export function hasRoom(limiter: RateLimiter, caller: string): boolean {
  try {
    limiter.take(caller);
    return true;
  } catch {
    return false;
  }
}
