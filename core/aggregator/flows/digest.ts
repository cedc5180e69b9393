import { setImmediate as aTurn } from 'node:timers/promises';
import type { Clock, Random } from '../../platform/clock.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import type { Tx } from '../../storage/transaction.ts';
import { Rest } from '../rest.ts';
import { NO_COUNTS, type SeriesCounts, withEvent, withPayment } from '../series/counts.ts';
import {
  cursorRef,
  DIGEST_MS,
  digestingRef,
  flows,
  type StoredCursor,
  type StoredSettlement,
  series,
  seriesId,
  settlements,
} from '../store/flows.ts';
import { activity, type StoredActivity } from '../store/logs.ts';
import { applyFlows, type FlowChange, refsOf } from './changes.ts';
import { recluster } from './recluster.ts';
import { FLOW_WINDOWS } from './sums.ts';

interface DigestParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly random: Random;
}

/** Facts of one transaction: few enough that other work does not wait for it. */
const TAKEN = 20;
/** Transactions of one run; the next run goes on. */
const STEPS = 25;
/** Clusters are made again after a pause so many times as long as it took. */
const REST = 10;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOTHING_READ: StoredCursor = { activity: 0, settlements: 0, links: 0, clustered: 0 };

/**
 * Keeps flows and series, apart from ingest: it follows the activity log and the settlements, and each transaction writes the sums
 * together with how far it has read. A crash loses nothing and counts nothing twice, and neither do two processes.
 */
export class Digest {
  readonly #parts: DigestParts;
  readonly #name: string;
  #renewed = 0;
  readonly #rest = new Rest(REST);
  #due = 0;

  constructor(parts: DigestParts) {
    this.#parts = parts;
    this.#name = Buffer.from(parts.random.bytes(8)).toString('hex');
  }

  /** After a run that left nothing: when a bucket leaves a window, or it may make clusters again. */
  get due(): number {
    return this.#due;
  }

  /** Takes a bounded number of facts; false when nothing is left, or another process digests. */
  async run(signal: AbortSignal): Promise<boolean> {
    const { space, clock } = this.#parts;
    if (!(await this.#hold())) return false;
    let expires = await this.#expire();
    for (let step = 0; step < STEPS; step++) {
      signal.throwIfAborted();
      // Where a store has its answers at once, nobody else would have a turn.
      await aTurn();
      if (await this.#step()) continue;
      if (expires) {
        expires = await this.#expire();
        continue;
      }
      await this.#clusters(signal);
      const [next] = await space.page(flows, { index: 'due', limit: 1 });
      const rested = this.#rest.isOver(clock.now()) ? Number.POSITIVE_INFINITY : this.#rest.until;
      this.#due = Math.min(next?.value.due ?? Number.POSITIVE_INFINITY, rested);
      return false;
    }
    return true;
  }

  /** Lets another process digest. */
  async close(): Promise<void> {
    const { space } = this.#parts;
    if (space.changes !== undefined || this.#renewed === 0) return;
    this.#renewed = 0;
    await space.tx([digestingRef], (tx) => {
      if (tx.get(digestingRef)?.by === this.#name) tx.del(digestingRef);
    });
  }

  async #step(): Promise<boolean> {
    const { space } = this.#parts;
    const cursor = (await space.get(cursorRef)) ?? NOTHING_READ;
    const [events, paid] = await Promise.all([
      space.page(activity, { after: cursor.activity, limit: TAKEN }),
      space.page(settlements, { after: cursor.settlements, limit: TAKEN }),
    ]);
    if (events.length + paid.length === 0) return false;
    const changes = [
      ...events.flatMap(({ record }) => ratingOf(record)),
      ...paid.map(({ record }) => paymentOf(record)),
    ];
    const counted = bucketsOf(events, paid);
    const refs = [...refsOf(changes), ...[...counted.keys()].map((id) => series.ref(id))];
    await space.tx([cursorRef, ...refs], (tx) => {
      const known = tx.get(cursorRef) ?? NOTHING_READ;
      // Another process was faster.
      if (known.activity !== cursor.activity || known.settlements !== cursor.settlements) return;
      const relinked = applyFlows(tx, changes);
      for (const [id, adding] of counted) tx.put(series.ref(id), adding(tx.get(series.ref(id)) ?? NO_COUNTS));
      const upTo = paid.at(-1)?.id;
      tx.put(cursorRef, {
        activity: events.at(-1)?.id ?? known.activity,
        settlements: upTo ?? known.settlements,
        links: known.links + relinked,
        clustered: known.clustered,
      });
      if (upTo !== undefined) tx.trim(settlements, upTo);
    });
    return true;
  }

  /** Brings pairs up to date of which a bucket has left a window. */
  async #expire(): Promise<boolean> {
    const { space, clock } = this.#parts;
    const rows = await space.page(flows, { index: 'due', to: [clock.now() + 1], limit: TAKEN });
    if (rows.length === 0) return false;
    const changes = rows.map(({ value: { from, to } }): FlowChange => ({ from, to }));
    await space.tx([cursorRef, ...refsOf(changes)], (tx) => count(tx, applyFlows(tx, changes)));
    return true;
  }

  async #clusters(signal: AbortSignal): Promise<void> {
    const { space, clock } = this.#parts;
    const began = clock.now();
    const cursor = await space.get(cursorRef);
    if (!cursor || cursor.links === cursor.clustered || !this.#rest.isOver(began)) return;
    for (const window of FLOW_WINDOWS) {
      // Another process has taken over: it makes them.
      if (!(await this.#hold())) return;
      await recluster(space, window, signal);
    }
    await space.tx([cursorRef], (tx) => {
      const known = tx.get(cursorRef);
      if (known) tx.put(cursorRef, { ...known, clustered: cursor.links });
    });
    this.#rest.begin(began, clock.now());
  }

  /** Whether this process is the one that digests. Where a store has one process, it is. */
  async #hold(): Promise<boolean> {
    const { space, clock } = this.#parts;
    if (space.changes !== undefined) return true;
    if (this.#renewed > 0 && clock.now() - this.#renewed < DIGEST_MS / 3) return true;
    const { value } = await space.tx([digestingRef], (tx) => {
      const holder = tx.get(digestingRef);
      if (holder && holder.by !== this.#name) return false;
      tx.put(digestingRef, { by: this.#name });
      return true;
    });
    this.#renewed = value ? clock.now() : 0;
    return value;
  }
}

function count(tx: Tx, relinked: number): void {
  const known = tx.get(cursorRef) ?? NOTHING_READ;
  if (relinked > 0) tx.put(cursorRef, { ...known, links: known.links + relinked });
}

function ratingOf({ event_type, agent_id, target_agent_id, score, at }: StoredActivity): FlowChange[] {
  if (event_type !== 'FEEDBACK' || target_agent_id === undefined || score === undefined) return [];
  return [{ from: agent_id, to: target_agent_id, fact: { score, at } }];
}

function paymentOf({ from, to, amount, at }: StoredSettlement): FlowChange {
  return { from, to, fact: { usdc: BigInt(amount), at } };
}

type Adding = (counts: SeriesCounts) => SeriesCounts;

function bucketsOf(
  events: readonly Logged<StoredActivity>[],
  paid: readonly Logged<StoredSettlement>[],
): Map<string, Adding> {
  const found = new Map<string, Adding>();
  const add = (at: number, adding: Adding) => {
    for (const id of [seriesId('hour', Math.floor(at / HOUR)), seriesId('day', Math.floor(at / DAY))]) {
      const before = found.get(id);
      found.set(id, before ? (counts) => adding(before(counts)) : adding);
    }
  };
  for (const { record } of events) add(record.at, (counts) => withEvent(counts, record));
  for (const { record } of paid) add(record.at, (counts) => withPayment(counts, BigInt(record.amount)));
  return found;
}
