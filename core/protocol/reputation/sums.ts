import { decay } from './decay.ts';
import type { Mean, Said } from './evidence.ts';

/** The escrow payments and the ratings that one agent gave another. A document per ordered pair. */
export interface PairSums {
  readonly from: string;
  readonly to: string;
  /** Minor units of USDC that escrows released, as digits; never decayed, so that what flows back cancels for ever. */
  readonly paid: string;
  /** The epoch as of which `said` holds. */
  readonly epoch: number;
  /** How often the key of `to` had been replaced by then. */
  readonly key_changes: number;
  readonly said: Said;
}

/** The facts that count for an agent besides the ratings of others. */
export interface AgentSums extends Deeds {
  readonly id: string;
  /** Minor units of the stake that is active now. */
  readonly staked: string;
  /** The last epoch in which it took part in a deal. */
  readonly active: number;
  readonly key_changes: number;
}

/** An agent's own deeds, as the ledger and its deals report them. */
export interface Deeds {
  /** The epoch as of which the sums hold. */
  readonly epoch: number;
  /** USDC of leases, slashes, fees and burnt disputes. */
  readonly burnt: number;
  /** Deals it left undelivered with the money locked. */
  readonly abandoned: number;
  /** Disputes that ended against it: their weight, and weight times value. */
  readonly disputes: Mean;
}

const NOTHING: Mean = { mass: 0, sum: 0 };
export const DONE_NOTHING: Deeds = { epoch: 0, burnt: 0, abandoned: 0, disputes: NOTHING };
export const SAID_NOTHING: Said = { paid: NOTHING, returned: NOTHING, word: NOTHING, free: NOTHING };

/** One FEEDBACK as evidence: the kind of its deal, the USDC behind it (1 in deals without money), and its value. */
export interface Saying {
  readonly kind: keyof Said;
  readonly mass: number;
  /** -100 to 100. */
  readonly value: number;
  /** The epoch in which it was signed. */
  readonly epoch: number;
}

export function newPair(from: string, to: string, epoch: number, keyChanges: number): PairSums {
  return { from, to, paid: '0', epoch, key_changes: keyChanges, said: SAID_NOTHING };
}

/** Adds what an escrow released from the one to the other. */
export function withPayment(pair: PairSums, minorUnits: bigint): PairSums {
  return { ...pair, paid: (BigInt(pair.paid) + minorUnits).toString() };
}

/** Adds an opinion that is counted in epoch `now`. */
export function withSaying(
  pair: PairSums,
  { kind, mass, value, epoch }: Saying,
  now: number,
  keyChanges: number,
): PairSums {
  const at = Math.max(pair.epoch, now);
  const said = saidAt(pair, at, keyChanges);
  const weight = mass * decay(Math.max(0, at - epoch));
  const grown = { mass: said[kind].mass + weight, sum: said[kind].sum + weight * value };
  return { ...pair, epoch: at, key_changes: keyChanges, said: { ...said, [kind]: grown } };
}

/**
 * Takes back the former counts of a rating and adds the present ones, as if it had come like that when the target's
 * key had been replaced `before` times.
 */
export function withChanged(
  pair: PairSums,
  { before, after }: { readonly before: readonly Saying[]; readonly after: readonly Saying[] },
  now: number,
  keyChanges: { readonly before: number; readonly now: number },
): PairSums {
  const at = Math.max(pair.epoch, now);
  const said: Record<keyof Said, Mean> = { ...saidAt(pair, at, keyChanges.now) };
  const inherited = HALF ** Math.max(0, keyChanges.now - keyChanges.before);
  const weigh = ({ mass, value, epoch }: Saying) => mass * decay(Math.max(0, at - epoch)) * (value > 0 ? inherited : 1);
  for (const saying of before) {
    const left = plus(said[saying.kind], meanOf(-weigh(saying), saying.value));
    // The difference of equal numbers is a rounding error, no evidence.
    said[saying.kind] = left.mass < NO_MASS ? NOTHING : left;
  }
  for (const saying of after) said[saying.kind] = plus(said[saying.kind], meanOf(weigh(saying), saying.value));
  return { ...pair, epoch: at, key_changes: keyChanges.now, said };
}

/** Less than the smallest amount that was ever paid, after the longest that a deal is remembered. */
const NO_MASS = 1e-8;

function meanOf(mass: number, value: number): Mean {
  return { mass, sum: mass * value };
}

/** A pair's sums, decayed to a later epoch. Each replacement of the rated key halves its praise; blame stays whole. */
export function saidAt({ said, epoch, key_changes }: PairSums, now: number, keyChanges: number): Said {
  const left = decay(Math.max(0, now - epoch));
  const inherited = HALF ** Math.max(0, keyChanges - key_changes);
  const one = ({ mass, sum }: Mean): Mean => {
    const kept = sum > 0 ? left * inherited : left;
    return { mass: mass * kept, sum: sum * kept };
  };
  return { paid: one(said.paid), returned: one(said.returned), word: one(said.word), free: one(said.free) };
}

const HALF = 0.5;

function plus(one: Mean, other: Mean): Mean {
  return { mass: one.mass + other.mass, sum: one.sum + other.sum };
}

/** An agent's deeds, decayed to a later epoch. */
export function deedsAt({ epoch, burnt, abandoned, disputes }: Deeds, now: number): Deeds {
  const left = decay(Math.max(0, now - epoch));
  return {
    epoch: Math.max(epoch, now),
    burnt: burnt * left,
    abandoned: abandoned * left,
    disputes: { mass: disputes.mass * left, sum: disputes.sum * left },
  };
}

/** Adds a deed of epoch `epoch`, counted in epoch `now`. */
export function withDeed(
  deeds: Deeds,
  deed: Partial<Pick<Deeds, 'burnt' | 'abandoned' | 'disputes'>>,
  epoch: number,
  now: number,
): Deeds {
  const base = deedsAt(deeds, now);
  const left = decay(Math.max(0, base.epoch - epoch));
  const { burnt = 0, abandoned = 0, disputes = NOTHING } = deed;
  return {
    epoch: base.epoch,
    burnt: base.burnt + burnt * left,
    abandoned: base.abandoned + abandoned * left,
    disputes: plus(base.disputes, { mass: disputes.mass * left, sum: disputes.sum * left }),
  };
}
