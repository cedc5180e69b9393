import type { SchemaTypes } from '../../../schemas/types.ts';
import { AggregatorClient } from '../../client/aggregator-client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../platform/problem.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import type { Health } from '../../plugin.ts';
import { differenceOf } from './same-network.ts';

/** An answer is believed so long. */
const FRESH = 1_000;
const TIMEOUT = 5_000;
/** Milliseconds after which it is said again that something is wrong with one. */
const REPEAT = 3_600_000;
/** Characters of an aggregator's own words: they are shown to everybody. */
const MOST_REASON = 300;

export interface StandingOptions {
  /** The network of this node. */
  readonly own: SchemaTypes['network'];
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: typeof fetch;
}

interface Trouble {
  readonly detail: string;
  readonly remedy: string;
}

interface Standing {
  readonly url: string;
  readonly client: AggregatorClient;
  /** When it was last asked, or last took reports. */
  askedAt: number;
  away: Trouble | undefined;
  other: Trouble | undefined;
  /** Which of the two was last said aloud, and when. */
  said: { readonly what: 'away' | 'other'; readonly at: number } | undefined;
}

/** Whether the aggregators this node reports to are there, and of its network. Says so aloud when one is not. */
export class AggregatorStandings {
  readonly #options: StandingOptions;
  readonly #standings: readonly Standing[];

  constructor(urls: readonly string[], options: StandingOptions) {
    const { clock, fetch } = options;
    this.#options = options;
    this.#standings = [...new Set(urls)].map((url) => ({
      url,
      client: new AggregatorClient({ url, timeout: TIMEOUT, clock, fetch }),
      askedAt: Number.NEGATIVE_INFINITY,
      away: undefined,
      other: undefined,
      said: undefined,
    }));
  }

  /** Asks each which network it is of, unless that was asked a moment ago. Never rejects. */
  async look(): Promise<void> {
    const due = this.#standings.filter(({ askedAt }) => this.#options.clock.now() - askedAt >= FRESH);
    await Promise.all(due.map((standing) => this.#ask(standing)));
  }

  /** How handing reports to one of them ended. */
  posted(url: string, error: unknown): void {
    const standing = this.#standings.find((one) => one.url === url);
    if (!standing) return;
    if (error !== undefined) this.#failed(standing, error);
    else if (standing.away) void this.#ask(standing);
  }

  health(): Health {
    const troubles = this.#standings.flatMap(({ away, other }) => away ?? other ?? []);
    if (troubles.length === 0) return { state: 'ok' };
    const [details, remedies] = [troubles.map(({ detail }) => detail), troubles.map(({ remedy }) => remedy)];
    return { state: 'degraded', detail: [...new Set(details)].join(' '), remedy: [...new Set(remedies)].join(' ') };
  }

  /** How it stands with each, as the node's API tells it. */
  list(): SchemaTypes['aggregators'] {
    return this.#standings.map(({ url, away, other }) => {
      const trouble = away ?? other;
      return { url, state: away ? 'away' : other ? 'other_network' : 'ok', ...trouble };
    });
  }

  async #ask(standing: Standing): Promise<void> {
    const { own, clock } = this.#options;
    standing.askedAt = clock.now();
    try {
      const difference = differenceOf(own, await standing.client.network());
      standing.away = undefined;
      standing.other = difference && {
        detail: `The aggregator ${shownUrl(standing.url)} ${difference.said}: it takes nothing that this node sends.`,
        remedy: difference.remedy,
      };
      this.#say(standing);
    } catch (error) {
      this.#failed(standing, error);
    }
  }

  /** Whoever answers with a refusal is there, and one that does not know the question may be of our network. */
  #failed(standing: Standing, error: unknown): void {
    const status = error instanceof ClientError ? error.status : 0;
    const isThere = status >= 400 && status < 500;
    const { own } = this.#options;
    standing.away = isThere
      ? undefined
      : {
          detail: `The aggregator ${shownUrl(standing.url)} of the network ${JSON.stringify(own.network_id)} is away: ${reasonOf(error)}.`,
          remedy:
            'See that it runs and that mesh.aggregators (--aggregator-url) is its address; reports are kept and handed over when it answers.',
        };
    this.#say(standing);
  }

  /** At the first failure and then once an hour; and when it is over. */
  #say(standing: Standing): void {
    const { clock, log, own } = this.#options;
    const { url, said, away, other } = standing;
    const trouble = away ?? other;
    if (!trouble) {
      if (said) log.info({ aggregator: shownUrl(url) }, 'the aggregator is well again');
      standing.said = undefined;
      return;
    }
    const what = away ? 'away' : 'other';
    if (said?.what === what && clock.now() - said.at < REPEAT) return;
    standing.said = { what, at: clock.now() };
    log.warn({ aggregator: shownUrl(url), network: own.network_id, remedy: trouble.remedy }, trouble.detail);
  }
}

/** Without the line of the call, which says nothing to an operator. */
function reasonOf(error: unknown): string {
  const text = (error instanceof ClientError ? error.reason : messageOf(error)).slice(0, MOST_REASON);
  return (text || 'no answer').replace(/\.$/, '');
}
