/** A retry pauses for at most this share of the time that is left. */
const SHARE = 10;
const SHORTEST_MS = 1_000;

/**
 * The pause before the next try of something that has to be done by `deadline`, all in milliseconds: `wanted`, but no
 * longer than a tenth of the time that is left, and no shorter than a second. An outage therefore costs at most a
 * tenth of the time that was left when it ended. Without a deadline, or once it has passed, the pause is `wanted`.
 */
export function deadlinePause(wanted: number, now: number, deadline: number | undefined): number {
  if (deadline === undefined || deadline <= now) return wanted;
  return Math.min(wanted, Math.max(SHORTEST_MS, Math.floor((deadline - now) / SHARE)));
}
