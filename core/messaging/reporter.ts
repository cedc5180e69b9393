import type { SchemaTypes } from '../../schemas/types.ts';
import { fromBase64 } from '../platform/bytes.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { decodeEnvelope } from '../protocol/envelopes/codec.ts';
import { decodePayload } from '../protocol/envelopes/payloads/codecs.ts';
import type { Logged } from '../storage/pages.ts';
import type { Space } from '../storage/space.ts';
import { LateReports } from './late-reports.ts';
import { reports } from './records.ts';
import { retryPause } from './retries.ts';

/** Hands a batch to an aggregator and gives those items it wants later; rejects when it took nothing. */
export type Post = (items: readonly SchemaTypes['report'][]) => Promise<readonly SchemaTypes['report'][]>;

export interface ReporterOptions {
  readonly space: Space;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const BATCH = 100;
/** Characters in one request; aggregators take 4 MiB. */
const MOST_TEXT = 3 * 1024 * 1024;
/**
 * An unchanged BEACON is held for up to six hours after a post and sent with the next report; aggregators already have
 * it from the mesh. An agent that sends nothing else makes four requests a day instead of one for each BEACON.
 */
const PATIENCE = 6 * 3_600_000;
/** Reports kept while the aggregator is away; beyond, the oldest go, and the log says how many. */
const MOST_WAITING = 1_000_000;

/**
 * Tells the aggregator of every envelope sent and received, in order, from a queue that survives restarts. A report is
 * taken out when the aggregator has answered it, whatever the answer; one that it puts off is kept aside and repeated.
 * Telling it twice has no effect there.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #late: LateReports;
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();
  /** The last report that was handed over, and when. */
  #last = 0;
  #postedAt = Number.NEGATIVE_INFINITY;
  /** The payload of the last BEACON handed over, as text to compare. */
  #announced: string | undefined;
  /** Up to this report, all that wait are BEACONs with that same payload. */
  #oldNews = 0;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#late = new LateReports(options);
  }

  start(): void {
    this.#late.start();
    this.#done = this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#done, this.#late.close()]);
  }

  async #run(): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#round(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (failures === 1)
          log.warn({ reason: String(error) }, 'reports cannot be handed over; they are kept and sent later');
        await clock.sleep(retryPause(failures, random.fraction()), signal).catch(() => {});
      }
    }
  }

  /** Posts the waiting reports, or waits for one. Rejects when the store or the aggregator does not answer. */
  async #round(signal: AbortSignal): Promise<void> {
    const { space, post, clock } = this.#options;
    const rows = fitting(await space.page(reports, { after: this.#last, limit: BATCH }));
    if (rows.length === 0) return this.#another(this.#last, signal);
    const pause = this.#postedAt + PATIENCE - clock.now();
    const announcements = rows.map(({ id, record }) =>
      id <= this.#oldNews ? this.#announced : announcementOf(record),
    );
    if (pause > 0 && rows.length < BATCH && announcements.every((one) => one && one === this.#announced)) {
      this.#oldNews = rows.at(-1)!.id;
      return this.#newsWithin(pause, signal);
    }
    let later: ReadonlySet<unknown>;
    try {
      later = new Set(await post(rows.map(({ record }) => record)));
    } catch (error) {
      await this.#shed(rows[0]!.id);
      throw error;
    }
    await this.#late.add(rows.filter(({ record }) => later.has(record)));
    const last = rows.at(-1)!.id;
    await space.tx([], (tx) => tx.trim(reports, last));
    this.#last = last;
    this.#postedAt = clock.now();
    this.#announced = announcements.findLast(Boolean) ?? this.#announced;
  }

  /** Waits for a report behind this one. */
  async #another(after: number, signal: AbortSignal): Promise<void> {
    for await (const _ of this.#options.space.tail(reports, after, signal)) break;
  }

  /** Waits for a report that is no old news, or for as many as go together. */
  async #newsWithin(ms: number, signal: AbortSignal): Promise<void> {
    const { space, clock } = this.#options;
    const enough = new AbortController();
    const end = () => enough.abort();
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      for await (const { id, record } of space.tail(reports, this.#oldNews, enough.signal)) {
        if (id - this.#last >= BATCH || announcementOf(record) !== this.#announced) break;
        this.#oldNews = id;
      }
    } finally {
      signal.removeEventListener('abort', end);
      cancel();
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

/** The first rows that fit into one request; at least one. */
function fitting(rows: readonly Logged<SchemaTypes['report']>[]): readonly Logged<SchemaTypes['report']>[] {
  let text = 0;
  const end = rows.findIndex(({ record }) => {
    text += (record.envelope_b64 ?? record.receipt_b64 ?? '').length;
    return text > MOST_TEXT;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

/** A BEACON's payload as text to compare; undefined for every other report. */
function announcementOf({ envelope_b64 }: SchemaTypes['report']): string | undefined {
  const bytes = envelope_b64 === undefined ? undefined : fromBase64(envelope_b64);
  const envelope = bytes && decodeEnvelope(bytes);
  if (!envelope?.ok || envelope.value.msgType !== 'BEACON') return undefined;
  const payload = decodePayload(envelope.value);
  return payload.ok ? JSON.stringify(payload.value.value) : undefined;
}
