import type { SchemaTypes } from '../../schemas/types.ts';
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Space } from '../storage/space.ts';
import { reports } from './records.ts';
import { retryPause } from './retries.ts';

/** Hands a batch to the aggregator; rejects when it was not taken. */
export type Post = (items: readonly SchemaTypes['report'][]) => Promise<void>;

export interface ReporterOptions {
  readonly space: Space;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const BATCH = 100;
/** Reports kept while the aggregator is away; beyond, the oldest go, and the log says how many. */
const MOST_WAITING = 1_000_000;

/**
 * Tells the aggregator of every envelope sent and received, in order, from a queue that survives restarts. A report is
 * taken out when the aggregator has acknowledged it; telling it twice has no effect there.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#done = this.#run().catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#options.log.error({ error }, 'reporting stopped');
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { space, clock, random, log } = this.#options;
    const { signal } = this.#stop;
    let last = 0;
    let failures = 0;
    while (!signal.aborted) {
      const rows = await space.page(reports, { after: last, limit: BATCH });
      if (rows.length === 0) {
        for await (const _ of space.tail(reports, last, signal)) break;
        continue;
      }
      try {
        await this.#options.post(rows.map(({ record }) => record));
        last = rows.at(-1)!.id;
        await space.tx([], (tx) => tx.trim(reports, last));
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1)
          log.warn({ reason: String(error) }, 'the aggregator does not take reports; they are kept and sent later');
        await this.#shed(rows[0]!.id);
        await clock.sleep(retryPause(failures, random.fraction()), signal).catch(() => {});
      }
    }
  }

  async #shed(oldest: number): Promise<void> {
    const { space, log } = this.#options;
    const [newest] = await space.page(reports, { limit: 1 });
    const surplus = (newest?.id ?? oldest) - oldest - MOST_WAITING;
    if (surplus <= 0) return;
    log.error({ lost: surplus }, 'too many reports wait for the aggregator; the oldest are given up');
    await space.tx([], (tx) => tx.trim(reports, oldest + surplus));
  }
}
