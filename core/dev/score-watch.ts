import type { AggregatorClient } from '../client/aggregator-client.ts';
import type { Clock } from '../clock.ts';
import type { Narrator } from './narrator.ts';

/** How long the aggregator may take to count a rating. */
const INDEXING = 10_000;
const LOOK = 200;

/** Asks the aggregator who there is and what they are worth, and tells how a score moves. */
export class ScoreWatch {
  readonly #aggregator: AggregatorClient;
  readonly #narrator: Narrator;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** Ratings counted when a deal began, by agent. */
  readonly #before = new Map<string, { readonly score: number; readonly ratings: number }>();

  constructor(aggregator: AggregatorClient, narrator: Narrator, clock: Clock, signal: AbortSignal) {
    this.#aggregator = aggregator;
    this.#narrator = narrator;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The best-rated agent of a name. */
  async find(name: string): Promise<{ agent_id: string; score: number } | undefined> {
    const found = await this.#aggregator.agentsNamed(name);
    const best = found.filter((agent) => agent.name === name).sort((a, b) => b.score - a.score)[0];
    if (best) this.#before.set(best.agent_id, { score: best.score, ratings: best.feedback_count });
    return best;
  }

  /** Waits until the rating of this deal is counted, and tells the score before and after. */
  async moved(agentId: string, name: string): Promise<void> {
    const before = this.#before.get(agentId) ?? { score: 0, ratings: 0 };
    const patience = this.#clock.now() + INDEXING;
    while (!this.#signal.aborted && this.#clock.now() < patience) {
      const now = await this.#aggregator.reputation(agentId);
      if (now && now.feedback_count > before.ratings) {
        const sentence = `  the aggregator has counted the rating: ${name} ${before.score} → ${now.score} (${now.feedback_count} ratings, lower bound ${now.lower_bound.toFixed(1)})`;
        this.#narrator.tell('score', sentence, { agent_id: agentId, before: before.score, score: now.score });
        return;
      }
      await this.#clock.sleep(LOOK, this.#signal).catch(() => {});
    }
  }
}
