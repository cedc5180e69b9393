import type { Settlement } from '../ledger/settlement.ts';

const SHORTEST = 500;
const LONGEST = 30_000;
const LOOKS = 40;

/** Milliseconds between two looks at what an epoch asks for: often enough in every epoch, and never a burden. */
export function jobPause({ numbers }: Settlement): number {
  return Math.min(LONGEST, Math.max(SHORTEST, (numbers.epochSecs * 1_000) / LOOKS));
}
