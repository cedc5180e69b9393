import type { SchemaTypes } from '../../schemas/types.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
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

/** Milliseconds from one round to the next. */
const APART = 5_000;
/** As many of the largest envelopes fit into one request. */
const BATCH = 32;
const MOST = 10_000;
/** The pauses grow to five minutes: two hours in all. */
const MOST_TRIES = 30;

/** Reports whose signer the aggregator found too busy, kept aside so that they hold up no others. */
export class LateReports {
  readonly #options: LateReportsOptions;
  #cancel = () => {};
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: LateReportsOptions) {
    this.#options = options;
  }

  /** Takes up what an earlier process put aside. */
  start(): void {
    this.#plan(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
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
    await this.#planNext();
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

  #round(): void {
    const { log } = this.#options;
    this.#running ??= this.retry()
      .then(() => this.#planNext())
      .catch((error: unknown) => {
        log.debug({ reason: String(error) }, 'late reports wait for the aggregator');
        this.#plan(APART);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #planNext(): Promise<void> {
    const { space, clock } = this.#options;
    const [next] = await space.page(lateReports, { index: 'due', limit: 1 });
    if (next) this.#plan(Math.max(APART, next.value.next_at - clock.now()));
  }

  #plan(ms: number): void {
    this.#cancel();
    if (!this.#closed) this.#cancel = this.#options.clock.after(ms, () => this.#round());
  }
}
