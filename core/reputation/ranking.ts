import { lowerBoundAt } from './score.ts';
import { IDLE_FACTOR, IDLE_FREE, idleEpochs, type Standing } from './standing.ts';

/**
 * How the leaderboard keeps its order while scores fade, without writing to idle agents. An agent's rank is its lower
 * bound as of the last write, less 5 % for every idle epoch since, while it is above 0. Agents that fade all fade by
 * the same factor, so their order never changes: they live in an index of their own, `fading`, by a key that holds for
 * every epoch, and all others in the index `steady`, by the rank itself. A page is a merge of the two.
 */
export interface Ranked {
  readonly id: string;
  /** The lower bound at `epoch`. */
  readonly bound: number;
  readonly epoch: number;
  readonly active: number;
}

export interface Placement {
  readonly index: 'steady' | 'fading';
  /** Both indexes are in descending order of this key, then in bytewise order of the agents' ids. */
  readonly key: number;
  /** When to place the agent anew, if it is not written before: it begins to fade, or has faded. */
  readonly moves_at: number | null;
}

const FADE = -Math.log(IDLE_FACTOR);
/** A rank that has faded below this is 0, so that nobody fades for ever. */
const FADED = 0.01;
/** Covers the rounding of logarithms. */
const HAIR = 1e-6;

/** What the leaderboard keeps of a standing as it is written. */
export function rankedOf(id: string, standing: Standing): Ranked {
  return { id, bound: lowerBoundAt(standing, standing.epoch), epoch: standing.epoch, active: standing.active };
}

export function rankAt(ranked: Ranked, epoch: number): number {
  if (ranked.bound <= 0) return ranked.bound;
  const idle = idleEpochs(ranked.active, epoch) - idleEpochs(ranked.active, ranked.epoch);
  const rank = ranked.bound * IDLE_FACTOR ** Math.max(0, idle);
  return rank < FADED ? 0 : rank;
}

/** Where the agent stands in epoch `now`. */
export function placementOf(ranked: Ranked, now: number): Placement {
  const rank = rankAt(ranked, now);
  if (rank <= 0) return { index: 'steady', key: rank, moves_at: null };
  const fades = ranked.active + IDLE_FREE + 1;
  if (now < fades) return { index: 'steady', key: rank, moves_at: fades };
  const start = ranked.active + IDLE_FREE + idleEpochs(ranked.active, ranked.epoch);
  const faded = start + Math.floor(Math.log(ranked.bound / FADED) / FADE) + 1;
  return { index: 'fading', key: Math.log(ranked.bound) + start * FADE, moves_at: Math.max(faded, now + 1) };
}

/**
 * The key from which to read an index downwards for ranks up to this one in epoch `now`, a hair too high rather than
 * too low: the merge drops what is before the cursor. Undefined where the index holds nothing that low.
 */
export function keyOfRank(index: Placement['index'], rank: number, now: number): number | undefined {
  if (index === 'steady') return rank;
  return rank > 0 ? Math.log(rank) + now * FADE + HAIR : undefined;
}
