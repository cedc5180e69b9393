import type { AggregatorClient } from '../../client/aggregator-client.ts';
import type { Clock } from '../../platform/clock.ts';

/** How long the aggregator may take to count a rating. */
const INDEXING = 10_000;
const LOOK = 200;
/** How long after a rating the scores of a small mesh may take, and the aggregator to read of the money on the ledger. */
const SCORING = 5_000;

/** A score, the number of ratings behind it, and the money that grounds it. */
export interface Standing {
  readonly score: number;
  readonly ratings: number;
  readonly groundedUsdc: number;
}

/** Asks the aggregator for the agents and their scores. */
export class ScoreWatch {
  readonly #aggregator: AggregatorClient;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(aggregator: AggregatorClient, clock: Clock, signal: AbortSignal) {
    this.#aggregator = aggregator;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The best-rated agent of a name. */
  async find(name: string): Promise<{ agent_id: string; name: string } | undefined> {
    const found = await this.#aggregator.agentsNamed(name);
    return found.filter((agent) => agent.name === name).sort((a, b) => b.score - a.score)[0];
  }

  async standing(agentId: string): Promise<Standing> {
    const found = await this.#aggregator.reputation(agentId);
    const { score = 0, feedback_count: ratings = 0, grounded_usdc: groundedUsdc = 0 } = found ?? {};
    return { score, ratings, groundedUsdc };
  }

  /**
   * The standing once there are more ratings and more money than before, and the scores have been computed with them;
   * undefined when no rating is counted in time.
   */
  async after(agentId: string, before: Standing): Promise<Standing | undefined> {
    let until = this.#clock.now() + INDEXING;
    let counted: Standing | undefined;
    while (!this.#signal.aborted && this.#clock.now() < until) {
      const now = await this.standing(agentId);
      if (now.ratings > before.ratings) {
        if (now.score !== before.score && now.groundedUsdc > before.groundedUsdc) return now;
        // The same score as before may be what it comes to, and who pays may have reached what it can ground.
        if (!counted) until = this.#clock.now() + SCORING;
        counted = now;
      }
      await this.#clock.sleep(LOOK, this.#signal).catch(() => {});
    }
    return counted;
  }
}
