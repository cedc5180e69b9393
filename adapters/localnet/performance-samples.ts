import type { Chain } from './chain.ts';
import type { Stamp } from './slots.ts';

const SECONDS = 60;

/** How many slots and transactions each of the last minutes had, newest first, as far as the chain reaches back. */
export function performanceSamples(chain: Chain, { slot, unix }: Stamp, limit: number): object[] {
  const samples: { slot: number; numSlots: number; numTransactions: number; from: number }[] = [];
  for (let to = slot, minute = 1; samples.length < limit && to > 1; minute++) {
    const from = Math.max(1, slotBefore(chain, to, unix - minute * SECONDS));
    samples.push({ slot: to, numSlots: to - from, numTransactions: 0, from });
    to = from;
  }
  let index = 0;
  for (const entry of chain.history.newest()) {
    while (samples[index] && entry.slot <= samples[index]!.from) index += 1;
    const sample = samples[index];
    if (!sample) break;
    if (entry.slot <= sample.slot) sample.numTransactions += 1;
  }
  return samples.map(({ from: _, ...sample }) => ({
    ...sample,
    numNonVoteTransactions: sample.numTransactions,
    samplePeriodSecs: SECONDS,
  }));
}

/** The last slot before `until` that had begun at a time. */
function slotBefore(chain: Chain, until: number, unix: number): number {
  let low = 0;
  let high = until - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (chain.slots.at(middle).unix <= unix) low = middle;
    else high = middle - 1;
  }
  return low;
}
