import type { SchemaTypes } from '../../schemas/types.ts';
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import type { Post } from './reporter.ts';
import { retryPause } from './retries.ts';

type Report = SchemaTypes['report'];

/** Reports that the aggregator wants later, by their number in the log of reports. */
const lateReports = collection<SchemaTypes['late-report'], 'due'>('late-reports', {
  schema: 'late-report',
  indexes: { due: ({ next_at }) => [next_at] },
});

export interface LateReportsOptions {
  readonly space: Space;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const SWEEP = 5_000;
/** As many of the largest envelopes fit into one request. */
const BATCH = 32;
const MOST = 10_000;
/** The pauses grow to five minutes: two hours in all. */
const MOST_TRIES = 30;

/** Reports whose signer the aggregator found too busy, kept aside so that they hold up no others. */
export class LateReports {
  readonly #options: LateReportsOptions;
  #stopSweep = () => {};
  #running: Promise<void> | undefined;

  constructor(options: LateReportsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#stopSweep = clock.every(SWEEP, () => {
      this.#running ??= this.retry()
        .catch((error: unknown) => log.debug({ reason: String(error) }, 'late reports wait for the aggregator'))
        .finally(() => {
          this.#running = undefined;
        });
    });
  }

  async close(): Promise<void> {
    this.#stopSweep();
    await this.#running;
  }

  /** Puts reports aside, once each; beyond the bound they are given up. */
  async add(rows: readonly { readonly id: number; readonly record: Report }[]): Promise<void> {
    const { space, log } = this.#options;
    if (rows.length === 0) return;
    const room = Math.max(0, MOST - (await space.count(lateReports)));
    if (rows.length > room)
      log.error({ lost: rows.length - room }, 'too many reports were put off; these are given up');
    await space.tx([], (tx) => {
      const next_at = tx.now + retryPause(1, this.#options.random.fraction());
      for (const { id, record } of rows.slice(0, room)) {
        tx.put(lateReports.ref(String(id)), { report: record, tries: 1, next_at });
      }
    });
  }

  /** One round: everything that is due, at most a batch. */
  async retry(): Promise<void> {
    const { space, post, clock, random, log } = this.#options;
    const due = await space.page(lateReports, { index: 'due', to: [clock.now()], limit: BATCH });
    if (due.length === 0) return;
    const later = new Set(await post(due.map(({ value }) => value.report)));
    const tired = due.filter(({ value }) => later.has(value.report) && value.tries >= MOST_TRIES);
    if (tired.length > 0) log.error({ lost: tired.length }, 'reports were put off too often; they are given up');
    await space.tx([], (tx) => {
      for (const { id, value } of due) {
        const { report, tries } = value;
        const next_at = tx.now + retryPause(tries + 1, random.fraction());
        if (later.has(report) && tries < MOST_TRIES) tx.put(lateReports.ref(id), { report, tries: tries + 1, next_at });
        else tx.del(lateReports.ref(id));
      }
    });
  }
}
