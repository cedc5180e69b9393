import type { SchemaTypes } from '../../../schemas/types.ts';
import type { AggregatorClient } from '../../client/aggregator-client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/problem.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import { TokenBucket } from '../../platform/token-bucket.ts';

type Reputation = SchemaTypes['reputation'];
type Word = SchemaTypes['aggregator-word'];
/** The members that a node passes on: those of a fixed size. */
type Told = NonNullable<Word['reputation']>;

export interface AskedAggregator {
  readonly url: string;
  readonly client: Pick<AggregatorClient, 'reputation'>;
}

export interface AggregatorsWordOptions {
  readonly aggregators: readonly AskedAggregator[];
  readonly contracts: Pick<Contracts, 'problems'>;
  readonly clock: Clock;
}

interface Known {
  /** Undefined: it has not heard of the agent. */
  readonly told: Told | undefined;
  readonly at: number;
}

/** An answer is believed so long, and shown with its time for a day while the aggregator is away. */
const FRESH = 30_000;
const SHOWN = 24 * 3_600_000;
/** Milliseconds in which one that was away is not asked about the same agent again. */
const SPARED = 5_000;
const REMEMBERED = 2_000;
/** Questions a second to one aggregator, and at once. */
const QUESTIONS = 20;
const AT_ONCE = 100;
/** Characters of its own words. */
const MOST_REASON = 200;

/** Each configured aggregator's word about agents: known, unknown, or away, with the last answer before it went. */
export class AggregatorsWord {
  readonly #asked: readonly AskedOne[];

  constructor({ aggregators, ...means }: AggregatorsWordOptions) {
    this.#asked = aggregators.map((one) => new AskedOne(one, means));
  }

  /** In the order of the configuration. Never rejects. */
  about(agent: string): Promise<Word[]> {
    return Promise.all(this.#asked.map((one) => one.about(agent)));
  }
}

class AskedOne {
  readonly #asked: AskedAggregator;
  readonly #means: Omit<AggregatorsWordOptions, 'aggregators'>;
  readonly #known = new BoundedMap<string, Known>(REMEMBERED);
  readonly #failed = new BoundedMap<string, { readonly reason: string; readonly at: number }>(REMEMBERED);
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #questions: TokenBucket;

  constructor(asked: AskedAggregator, means: Omit<AggregatorsWordOptions, 'aggregators'>) {
    this.#asked = asked;
    this.#means = means;
    this.#questions = new TokenBucket(means.clock, QUESTIONS, AT_ONCE);
  }

  async about(agent: string): Promise<Word> {
    const { clock } = this.#means;
    const age = (at: number | undefined) => clock.now() - (at ?? Number.NEGATIVE_INFINITY);
    if (age(this.#known.get(agent)?.at) >= FRESH && age(this.#failed.get(agent)?.at) >= SPARED) await this.#ask(agent);
    const known = this.#known.get(agent);
    const url = shownUrl(this.#asked.url);
    const shown = known && age(known.at) < SHOWN ? known : undefined;
    const reputation = shown?.told ?? null;
    const asked_at = shown ? new Date(shown.at).toISOString() : null;
    if (known && age(known.at) < FRESH) return { url, state: known.told ? 'known' : 'unknown', asked_at, reputation };
    const detail = this.#failed.get(agent)?.reason ?? 'This node has asked it too often; ask again soon.';
    return { url, state: 'away', asked_at, reputation, detail };
  }

  /** One question at a time about an agent; who comes meanwhile waits for the same answer. */
  #ask(agent: string): Promise<void> {
    const before = this.#underWay.get(agent);
    if (before) return before;
    if (!this.#questions.take()) return Promise.resolve();
    const asking = this.#look(agent).finally(() => this.#underWay.delete(agent));
    this.#underWay.set(agent, asking);
    return asking;
  }

  async #look(agent: string): Promise<void> {
    const { clock, contracts } = this.#means;
    try {
      const found = await this.#asked.client.reputation(agent);
      const [problem] = found === undefined ? [] : contracts.problems('reputation', found);
      if (problem || (found && found.agent_id !== agent)) throw new Error('its answer is no reputation of this agent');
      this.#known.set(agent, { told: found && toldOf(found), at: clock.now() });
      this.#failed.delete(agent);
    } catch (error) {
      const reason = (error instanceof ClientError ? error.reason : messageOf(error)).slice(0, MOST_REASON);
      this.#failed.set(agent, { reason: reason || 'no answer', at: clock.now() });
    }
  }
}

function toldOf(found: Reputation): Told {
  const { version, as_of, score, lower_bound, confidence, points, idle, trend, counts, average_score } = found;
  const { feedback_count, dispute_count, last_active_epoch } = found;
  return {
    ...{ version, as_of, score, lower_bound, confidence, points, idle, trend, counts, average_score },
    ...{ feedback_count, dispute_count, last_active_epoch },
  };
}
