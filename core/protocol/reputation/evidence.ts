import { FREE_UNIT, REQUESTER } from './parameters.ts';

/**
 * The ratings of one agent by one cluster, as sums that an event changes in constant time. All decay with the same
 * half-life.
 */
export interface Said {
  /** Of deals whose escrow paid: USDC, and USDC times the value (-100 to 100). */
  readonly paid: Mean;
  /** Of deals whose money came back, where the payer spoke ill: the same. */
  readonly returned: Mean;
  /** As a provider, of a requester who paid it. */
  readonly word: Mean;
  /** Of deals without money: their number, and the sum of the values. */
  readonly free: Mean;
}

export interface Mean {
  readonly mass: number;
  readonly sum: number;
}

/** The figures that a scoring run found between the rater's cluster and the agent's. */
export interface Between {
  /** USDC that the rater's cluster paid net, and the grounded share of it. */
  readonly net: number;
  readonly share: number;
  /** The share of its spending that was the rater's cluster's own money. */
  readonly own: number;
  /** USDC with which the rater's cluster vouches for the agent's, which paid it. */
  readonly vouched: number;
}

/** Grounded USDC behind one value, from one cluster. */
export interface Opinion {
  readonly rater: string;
  readonly usdc: number;
  readonly value: number;
}

/** All that counts for and against one agent. */
export interface Evidence {
  readonly mass: number;
  /** Mass times value: lifted for the score, lifted for the rank, and only where the value is below 0. */
  readonly sum: number;
  readonly rankSum: number;
  readonly blameSum: number;
  readonly rawUp: RawMass;
  readonly rawDown: RawMass;
  /** Weights of free praise and free blame before they are capped. */
  readonly freeUp: number;
  readonly freeDown: number;
  /** Weight of the deals it left undelivered with the money locked. */
  readonly abandoned: number;
  /** Disputes on the ledger that ended against it: their weight, and weight times value. */
  readonly disputes: Mean;
}

export interface RawMass {
  readonly usdc: number;
  readonly sum: number;
  readonly rankSum: number;
}

/** One rater's share of an agent's evidence. */
export interface Contribution {
  readonly opinions: readonly Opinion[];
  /** Money that is the rater's own and not grounded, with the value it speaks for. */
  readonly raw: { readonly usdc: number; readonly value: number } | undefined;
  readonly free: { readonly weight: number; readonly value: number } | undefined;
}

/** The contribution of one cluster's ratings to an agent's evidence. */
export function contributionOf(rater: string, said: Said, between: Between): Contribution {
  const { net, share, own, vouched } = between;
  const value = meanValue(said.paid);
  const counted = Math.min(said.paid.mass, net);
  const raw = Math.max(0, counted * own - counted * share);
  const opinions = [
    { rater, usdc: counted * share, value },
    { rater, usdc: said.returned.mass * share, value: meanValue(said.returned) },
    { rater, usdc: REQUESTER * Math.min(vouched, said.word.mass), value: meanValue(said.word) },
  ].filter(({ usdc }) => usdc > 0);
  const voice = meanValue(said.free);
  return {
    opinions,
    raw: raw > 0 ? { usdc: raw, value } : undefined,
    free: said.free.mass > 0 ? { weight: FREE_UNIT * Math.min(1, said.free.mass), value: voice } : undefined,
  };
}

export function meanValue({ mass, sum }: Mean): number {
  return mass > 0 ? sum / mass : 0;
}
