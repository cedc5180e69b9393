import type { JsonRpc } from '../json-rpc.ts';

/** Of the recent slots, as many were landed in for less or the same as this share. */
const PERCENTILE = 0.75;
const MAX_ADDRESSES = 128;
const METHOD = 'getRecentPrioritizationFees';

/**
 * The 75th percentile of the fees recently paid to write these accounts, in micro-lamports per compute unit, at most
 * `cap`. 0 where the node does not tell: a transaction without a priority fee is slower, not wrong.
 */
export async function recentPriorityFee(rpc: JsonRpc, writable: readonly string[], cap: number): Promise<number> {
  if (cap === 0) return 0;
  try {
    const answer = await rpc.once(METHOD, [writable.slice(0, MAX_ADDRESSES)]);
    const fees = rpc
      .answerOf(METHOD, answer)
      .list()
      .map((entry) => entry.at('prioritizationFee').natural())
      .sort((one, other) => one - other);
    return Math.min(fees[Math.floor(fees.length * PERCENTILE)] ?? 0, cap);
  } catch {
    return 0;
  }
}
