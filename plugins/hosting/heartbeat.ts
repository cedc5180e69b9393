import type { Health, Log } from '../../core/plugin.ts';
import type { Clock, Count, Http, LocalAgents, Self } from '../../core/services.ts';

const BEAT = 60_000;
/** Milliseconds until a heartbeat that failed is sent again: another one is listed within the 120 seconds of the directory. */
const AGAIN = 10_000;
const TIMEOUT = 10_000;
/** Characters of an aggregator's own words in the log. */
const MOST_REASON = 200;

export interface HeartbeatMeans {
  readonly agents: Pick<LocalAgents, 'signHeartbeat'>;
  readonly self: Self;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly secret: string;
  readonly feeBps: number;
  readonly hosted: () => number;
  /** By result. */
  readonly sent: Count;
}

/** Tells each aggregator of this node every minute that the node hosts agents, and for which fee. */
export class Heartbeats {
  readonly #means: HeartbeatMeans;
  /** Why the last heartbeat was not taken, by aggregator. */
  readonly #troubles = new Map<string, string>();

  constructor(means: HeartbeatMeans) {
    this.#means = means;
  }

  start(): void {
    for (const aggregator of new Set(this.#means.self.aggregators)) void this.#beatOn(aggregator);
  }

  health(): Health {
    if (this.#troubles.size === 0) return { state: 'ok' };
    const detail = [...this.#troubles].map(([host, reason]) => `${host} does not list this host: ${reason}`).join('; ');
    const remedy =
      'See that the aggregator runs and has the same plugins.hosting.hostingSecret, and that api.publicUrl leads to this node.';
    return { state: 'degraded', detail, remedy };
  }

  async #beatOn(aggregator: string): Promise<void> {
    const { clock, signal, log, sent } = this.#means;
    const host = URL.canParse(aggregator) ? new URL(aggregator).host : aggregator;
    for (let last = 0; !signal.aborted; ) {
      const time = Math.max(last + 1, Math.floor(clock.now() / 1_000));
      const trouble = await this.#beat(aggregator, time);
      if (signal.aborted) return;
      last = time;
      sent({ result: trouble === undefined ? 'taken' : 'failed' });
      const before = this.#troubles.get(host);
      if (trouble === undefined) this.#troubles.delete(host);
      else this.#troubles.set(host, trouble);
      if (trouble !== undefined && before === undefined)
        log.warn({ aggregator: host, reason: trouble }, 'an aggregator does not list this host; it is tried again');
      if (trouble === undefined && before !== undefined)
        log.info({ aggregator: host }, 'the aggregator lists this host again');
      await clock.sleep(trouble === undefined ? BEAT : AGAIN, signal).catch(() => {});
    }
  }

  /** Why it was not taken; undefined when it was. */
  async #beat(aggregator: string, time: number): Promise<string | undefined> {
    const { agents, self, http, secret, feeBps, hosted, signal } = this.#means;
    const { id: node_id, name } = self;
    const facts = { node_id, name, api_url: self.url(), fee_bps: feeBps, hosted_agent_count: hosted(), time };
    const body = Buffer.from(JSON.stringify(facts));
    const headers = {
      'content-type': 'application/json',
      'x-signature': Buffer.from(agents.signHeartbeat(body, time)).toString('hex'),
      authorization: `Bearer ${secret}`,
    };
    try {
      const url = `${aggregator.replace(/\/+$/, '')}/hosting/register`;
      const answer = await http.request(url, { method: 'POST', headers, body, timeout: TIMEOUT, signal });
      if (answer.status >= 200 && answer.status < 300) return undefined;
      return `it answered ${answer.status} ${answer.text().slice(0, MOST_REASON)}`;
    } catch (error) {
      return error instanceof Error ? error.message.slice(0, MOST_REASON) : 'it did not answer';
    }
  }
}
