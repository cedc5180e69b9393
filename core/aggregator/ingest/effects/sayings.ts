import type { Saying } from '../../../protocol/reputation/sums.ts';
import { inUsdc } from '../score-facts.ts';

/** One rating, without the money of its deal. */
export interface Rated {
  readonly rater: string;
  readonly target: string;
  /** -100 to 100. */
  readonly value: number;
  /** The epoch in which it was signed. */
  readonly epoch: number;
}

/** The settlement of a deal's escrow, in minor units. */
export interface Settled {
  readonly requester: string;
  readonly provider: string;
  readonly released: bigint;
  /** The part of the agreed amount that was neither released nor burnt, without the bond. */
  readonly returned: bigint;
}

/**
 * A rating as evidence: by the payer about work it paid for, by the provider about its payer, by the payer about work
 * whose money came back, or of a deal without money. No money stands behind ratings by a notary or of one.
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
