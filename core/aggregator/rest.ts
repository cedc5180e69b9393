/** A run that seems to have taken longer has not: the clock was set meanwhile, or the machine slept. */
const LONGEST_RUN = 10_000;

/** Milliseconds for which a job rests after a run, so many times as long as that took: so it keeps to its part of a thread. */
export function restAfter(took: number, times: number): number {
  return times * Math.min(Math.max(took, 0), LONGEST_RUN);
}
