/** How much weight a cluster of raters has given, to all agents together. A document per cluster; at most 30 entries. */
export interface Budget {
  readonly spent: readonly { readonly epoch: number; readonly weight: number }[];
}

export const BUDGET_EPOCHS = 30;
/** What a cluster may give that paid no lease. */
export const BUDGET_WITHOUT_LEASE = 0.1;

/**
 * As much of a wanted weight as the cluster may still give in the 30 epochs that end with `now`. `leases` is how many
 * epochs of lease its agents paid in them; undefined where the lease gate is off, and then there is no limit.
 */
export function granted(
  budget: Budget | undefined,
  wanted: number,
  now: number,
  leases: number | undefined,
): { readonly weight: number; readonly budget: Budget } {
  const recent = (budget?.spent ?? []).filter((entry) => entry.epoch > now - BUDGET_EPOCHS);
  const limit = leases === undefined ? Number.POSITIVE_INFINITY : leases > 0 ? leases : BUDGET_WITHOUT_LEASE;
  const used = recent.reduce((sum, entry) => sum + entry.weight, 0);
  const weight = Math.max(0, Math.min(wanted, limit - used));
  const today = recent.find((entry) => entry.epoch === now)?.weight ?? 0;
  const others = recent.filter((entry) => entry.epoch !== now);
  return { weight, budget: { spent: [...others, { epoch: now, weight: today + weight }] } };
}
