const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 300_000;

/** Milliseconds until an envelope is tried again: doubling from one second to five minutes, ±20 % so that nobody marches in step. */
export function retryPause(attempts: number, fraction: number): number {
  const pause = Math.min(FIRST_PAUSE * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE);
  return Math.round(pause * (0.8 + 0.4 * fraction));
}
