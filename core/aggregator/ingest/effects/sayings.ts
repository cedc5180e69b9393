import type { Saying } from '../../../protocol/reputation/sums.ts';
import { inUsdc } from '../score-facts.ts';

/** What one rating says, and how much money of its deal stands behind it. */
export interface Rated {
  readonly rater: string;
  readonly target: string;
  /** -100 to 100. */
  readonly value: number;
  /** The epoch in which it was signed. */
  readonly epoch: number;
}

/** What the escrow of a deal came to, in minor units. */
export interface Settled {
  readonly requester: string;
  readonly provider: string;
  readonly released: bigint;
  /** What came back of what the two had agreed to lock, the bond not counted. */
  readonly returned: bigint;
}

/**
 * What a rating says: of the payer about work it paid for, of the provider about who paid it, of the payer about work
 * whose money came back, or of a deal without money. Nothing stands behind what a notary says or is told.
 */
export function sayingsOf({ rater, target, value, epoch }: Rated, settled: Settled | undefined): Saying[] {
  const byPayer = settled !== undefined && rater === settled.requester && target === settled.provider;
  const byProvider = settled !== undefined && rater === settled.provider && target === settled.requester;
  const sayings: Saying[] = [];
  if (byPayer && settled.released > 0n) sayings.push({ kind: 'paid', mass: inUsdc(settled.released), value, epoch });
  if (byPayer && settled.returned > 0n && value < 0)
    sayings.push({ kind: 'returned', mass: inUsdc(settled.returned), value, epoch });
  if (byProvider && settled.released > 0n) sayings.push({ kind: 'word', mass: inUsdc(settled.released), value, epoch });
  return sayings.length > 0 ? sayings : [{ kind: 'free', mass: 1, value, epoch }];
}
