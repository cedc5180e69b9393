import type { Contribution, Evidence, Mean } from '../../core/protocol/reputation/evidence.ts';
import { Tally } from '../../core/protocol/reputation/tally.ts';

/** Adds up the contributions that count; the other evidence is the ledger's record of the agent itself. */
export function evidenceOf(
  contributions: readonly Contribution[],
  abandoned: number,
  disputes: Mean = { mass: 0, sum: 0 },
): Evidence {
  const tally = new Tally();
  for (const one of contributions) {
    tally.begin();
    for (const { usdc, value } of one.opinions) tally.opinion(usdc, value);
    if (one.raw) tally.raw(one.raw.usdc, one.raw.value);
    if (one.free) tally.free(one.free.weight, one.free.value);
  }
  return tally.evidence(abandoned, disputes);
}
