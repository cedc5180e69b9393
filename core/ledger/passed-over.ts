import type { PassedOver } from './ledger.ts';

/** So many are kept for one account: the newest, of RPCs that show nothing at all for weeks. */
const MOST_KEPT = 100;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** A transaction that a reader passed over, and the time at which it is asked for again. */
export interface AskedAgain extends PassedOver {
  readonly tries: number;
  /** Unix milliseconds. */
  readonly again: number;
}

/** The transactions to ask for again, with those that a page passed over. */
export function withPassedOver(
  kept: readonly AskedAgain[] = [],
  found: readonly PassedOver[],
  now: number,
): readonly AskedAgain[] {
  const fresh = found.filter(({ signature }) => kept.every((one) => one.signature !== signature));
  const asked = fresh.map(({ signature, slot }) => ({ signature, slot, tries: 0, again: now + FIRST_PAUSE_MS }));
  return [...kept, ...asked].slice(-MOST_KEPT);
}

/** The same list after one could still not be read: it waits twice as long as before. */
export function putOff(kept: readonly AskedAgain[] = [], signature: string, now: number): readonly AskedAgain[] {
  return kept.map((one) => {
    if (one.signature !== signature) return one;
    const tries = one.tries + 1;
    return { ...one, tries, again: now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries) };
  });
}
