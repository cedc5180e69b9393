import type { AggregatorClient } from '../client/aggregator-client.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { internalToken } from '../platform/token.ts';
import type { Space } from '../storage/space.ts';
import { deals } from './deals/deal-document.ts';
import type { NodeEvents } from './services/node-events.ts';

/** Between two looks at the scores, while somebody watches. */
const LOOK = 10_000;
/** Partners of the deals that changed last, whose scores are looked at beside this agent's own. */
const PARTNERS = 10;
const REMEMBERED = 1_000;
const MOST_SCORE = 100;
/** Characters of a time. */
const MOST_TIME = 40;

export interface ScoreWatchOptions {
  readonly space: Space;
  readonly events: NodeEvents;
  readonly aggregators: readonly Pick<AggregatorClient, 'reputation'>[];
  readonly clock: Clock;
  readonly self: string;
}

/**
 * Tells whoever watches the node's events when a score changes that the node knows: its own, and those of the partners of
 * its latest deals. Nobody is asked while nobody watches; what changed meanwhile is told at the first look.
 */
export class ScoreWatch {
  readonly #options: ScoreWatchOptions;
  readonly #known = new BoundedMap<string, number>(REMEMBERED);
  #watchers = 0;
  #isLooking = false;
  /** Ends the pause between two looks. */
  #wake = () => {};

  constructor(options: ScoreWatchOptions) {
    this.#options = options;
  }

  /** Looks from now on, until the function that it gives is called. */
  watch(): () => void {
    this.#watchers += 1;
    if (!this.#isLooking) void this.#follow();
    return () => {
      this.#watchers -= 1;
      if (this.#watchers === 0) this.#wake();
    };
  }

  async #follow(): Promise<void> {
    const { aggregators } = this.#options;
    if (aggregators.length === 0) return;
    this.#isLooking = true;
    while (this.#watchers > 0) {
      // An aggregator that is away is told of elsewhere; the next look asks again.
      await this.#look().catch(() => {});
      await this.#pause();
    }
    this.#isLooking = false;
  }

  async #pause(): Promise<void> {
    if (this.#watchers === 0) return;
    let cancel = () => {};
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      cancel = this.#options.clock.after(LOOK, resolve);
    });
    cancel();
  }

  async #look(): Promise<void> {
    const { space, self } = this.#options;
    const recent = await space.page(deals, { index: 'recent', reverse: true, limit: PARTNERS });
    const parties = recent.flatMap(({ value: { deal } }) => [deal.requester, deal.provider]);
    await Promise.all([...new Set([self, ...parties])].map((agent) => this.#lookAt(agent)));
  }

  async #lookAt(agent: string): Promise<void> {
    const found = await this.#ask(agent);
    if (!found) return;
    const { score, as_of } = found;
    const before = this.#known.get(agent);
    this.#known.set(agent, score);
    if (before === undefined || before === score) return;
    this.#options.events.emit('reputation', agent, { score, before, as_of });
  }

  /** The score of the first aggregator that answers with one. */
  async #ask(agent: string) {
    for (const aggregator of this.#options.aggregators) {
      try {
        const found = await aggregator.reputation(agent);
        if (!found || isScore(found)) return found;
      } catch {}
    }
    return undefined;
  }
}

/** It is kept and told to every watcher, so no aggregator may say just anything. */
function isScore({ score, as_of }: { readonly score: unknown; readonly as_of: unknown }): boolean {
  const isInRange = typeof score === 'number' && Number.isInteger(score) && Math.abs(score) <= MOST_SCORE;
  return isInRange && typeof as_of === 'string' && as_of.length <= MOST_TIME;
}

export const Scores = internalToken<ScoreWatch>('score-watch');
