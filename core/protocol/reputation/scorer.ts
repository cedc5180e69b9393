import type { OrganicShare } from './between.ts';
import { type AgentFacts, type Rater, ScoreBook } from './book.ts';
import { type Points, shownOf } from './formula.ts';
import type { PairSums } from './sums.ts';

/** An agent, and the numbers shown of it; `shown` is null for one that the index does not list. */
export interface ListedAgent extends AgentFacts {
  readonly shown: Shown | null;
}

export interface Shown {
  readonly score: number;
  readonly rank: number;
}

/** The facts that have changed since the run before. */
export interface News {
  readonly agents: readonly ListedAgent[];
  readonly pairs: readonly PairSums[];
}

export interface Scoring {
  readonly yardstick: number;
  /** Listed agents of which there is something to write. */
  readonly changed: number;
  /** Agents and pairs that are known. */
  readonly size: number;
}

/** The score and the rank that an agent is shown with from now on, and their explanation. */
export interface Rescored extends Shown {
  readonly id: string;
  readonly explanation: Explanation;
}

export interface Explanation {
  /** The share of the score that is evidence, 0 to 1. */
  readonly confidence: number;
  /** They add up to the score before rounding. */
  readonly points: Points;
  readonly grounded_usdc: number;
  readonly yardstick_usdc: number;
  /** Those with the most grounded money. */
  readonly raters: readonly ShownRater[];
  readonly rater_count: number;
}

export interface ShownRater {
  readonly cluster: string;
  readonly anchor: boolean;
  readonly paid_usdc: number;
  readonly share: number;
  readonly grounded_usdc: number;
  readonly value: number | null;
}

const SHOWN_RATERS = 10;

/** A book of scores, and the numbers shown of them, so that only changes go back. Runs in a thread, or in none. */
export class Scorer {
  readonly #book = new ScoreBook();
  readonly #shown = new Map<string, Shown>();
  #yardstick = 0;
  /** Places of the agents that have something to write and were not handed out. */
  #changed: number[] = [];

  learn({ agents, pairs }: News): void {
    for (const { shown, ...facts } of agents) {
      this.#book.setAgent(facts);
      if (shown) this.#shown.set(facts.id, shown);
    }
    for (const pair of pairs) this.#book.setPair(pair);
  }

  /**
   * Scores everybody. To be written are then the agents whose score or rank is another one than is shown, and those of whom something was
   * told since the run before, for it stands in their explanation; `told` is null where nobody knows of whom.
   */
  run(epoch: number, anchors: readonly string[], told: readonly string[] | null): Scoring {
    this.#yardstick = this.#book.run(epoch, anchors);
    this.#changed = [];
    const explained = told && new Set(told);
    for (const [place, id] of this.#book.names.entries()) {
      const known = this.#shown.get(id);
      if (!known) continue;
      const { scored, idleFactor } = this.#book.standingAt(place);
      const { score, rank } = shownOf(scored, idleFactor);
      if (score !== known.score || rank !== known.rank || !explained || explained.has(id)) this.#changed.push(place);
    }
    return { yardstick: this.#yardstick, changed: this.#changed.length, size: this.#book.size };
  }

  /** The next of those to be written; none when all were handed out. Counts them as shown. */
  next(limit: number): Rescored[] {
    return this.#changed.splice(0, limit).map((place) => {
      const id = this.#book.names[place]!;
      const { scored, idleFactor } = this.#book.standingAt(place);
      const shown = shownOf(scored, idleFactor);
      this.#shown.set(id, shown);
      return { id, ...shown, explanation: this.#explain(id, place) };
    });
  }

  organic(pairs: readonly (readonly [from: string, to: string])[]): OrganicShare[] | undefined {
    return this.#book.organicOf(pairs);
  }

  organicAgents(): number | undefined {
    return this.#book.organicAgents();
  }

  #explain(id: string, place: number): Explanation {
    const { evidence, scored, idleFactor } = this.#book.standingAt(place);
    const left = scored.exact > 0 ? idleFactor : 1;
    const raters = this.#book.ratersOf(id);
    const points = Object.entries(scored.points).map(([kind, part]) => [kind, part * left]);
    return {
      confidence: scored.confidence,
      points: Object.fromEntries(points) as Points,
      grounded_usdc: evidence.mass,
      yardstick_usdc: this.#yardstick,
      raters: raters.slice(0, SHOWN_RATERS).map((rater) => this.#rater(rater)),
      rater_count: raters.length,
    };
  }

  #rater(rater: Rater): ShownRater {
    const { cluster, between } = rater;
    return {
      cluster,
      anchor: this.#book.isAnchored(cluster),
      paid_usdc: between.net,
      share: between.share,
      grounded_usdc: between.net * between.share,
      value: opinionOf(rater),
    };
  }
}

/** A rater's mean value by grounded money; without any, its value by other money, and without that, its free value. */
function opinionOf({ opinions, raw, free }: Rater): number | null {
  const usdc = opinions.reduce((sum, one) => sum + one.usdc, 0);
  if (usdc > 0) return opinions.reduce((sum, one) => sum + one.usdc * one.value, 0) / usdc;
  return raw?.value ?? free?.value ?? null;
}
