import { joinFrames, type SharedFrame, StreamEnd, sharedFrame } from '../../http/frame.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { AppendLog } from '../../storage/declarations.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { type Followed, Follower, type Run } from './follower.ts';

/** A log, and its records in the shape that clients get. */
export interface Told<R, E> {
  readonly log: AppendLog<R>;
  readonly eventOf: (row: Logged<R>) => E;
}

/** Some records of a log. */
export interface Choice<R> {
  has(record: R): boolean;
  /** The next ones behind an event, in order, and how far was looked; `more` while there may be others behind that. */
  after(
    cursor: number,
  ): Promise<{ readonly rows: readonly Logged<R>[]; readonly upTo: number; readonly more: boolean }>;
}

/** A recent event; its frame is made for the first client that gets it. */
interface Recent<R, E> {
  readonly row: Logged<R>;
  frame?: SharedFrame<E>;
}

/** A client that wants some events only. */
interface Waiter<R> {
  readonly wanted: Choice<R>;
  /** Whether there was one since it last read. */
  rung: boolean;
  ring: () => void;
}

const PAGE = 200;
const RETRY = 1_000;

/**
 * A log as live frames. One reader follows the log for all clients and keeps the last events, serialised
 * once; a client that is further behind is served pages of the log until it has caught up. A client is a cursor, not
 * a queue, so a slow one costs nothing and can never miss an event.
 *
 * The events of one turn of the event loop are one run of frames. All clients that were up to date get the run as the
 * same bytes in one write.
 */
export class LiveFeed<R extends object, E extends { readonly id: number }> implements Followed<E> {
  readonly #space: Space;
  readonly #told: Told<R, E>;
  readonly #capacity: number;
  readonly #recent: Recent<R, E>[] = [];
  readonly #followers = new Set<Follower<E>>();
  readonly #waiters = new Set<Waiter<R>>();
  /** Every event above this id that has been read is in `#recent`. */
  #floor = 0;
  #head = 0;
  /** The run asked for last: all clients that wait for the next event ask for the same one. */
  #last: (Run<E> & { readonly after: number }) | undefined;
  #ringing = false;

  constructor(space: Space, told: Told<R, E>, capacity = 1024) {
    this.#space = space;
    this.#told = told;
    this.#capacity = capacity;
  }

  /** Follows the log until the signal is aborted, or until what this gives is called; that is done when nothing is read any more. */
  async start(clock: Clock, log: Log, signal: AbortSignal): Promise<() => Promise<void>> {
    const ended = new AbortController();
    await this.open();
    const following = this.follow(clock, log, AbortSignal.any([signal, ended.signal]));
    return () => {
      ended.abort();
      return following;
    };
  }

  /** Where the log ends now; call it once before `follow`. */
  async open(): Promise<void> {
    this.#head = this.#floor = await this.#newest();
  }

  /** Reads the log until the signal is aborted; a store that fails is asked again. */
  async follow(clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const row of this.#space.tail(this.#told.log, this.#head, signal)) this.#take(row);
        break;
      } catch (error) {
        log.warn({ err: error }, `the log ${this.#told.log.name} could not be read; trying again`);
        await clock.sleep(RETRY, signal).catch(() => {});
      }
    }
  }

  /** Everything behind `since`, then what is to come; without `since` only the latter. Ends with the signal. */
  frames(since: number | undefined, signal: AbortSignal): Follower<E> {
    const follower = new Follower(this, since ?? this.#head, signal, (one) => this.#followers.delete(one));
    if (!signal.aborted) this.#followers.add(follower);
    return follower;
  }

  /**
   * The same for the events that somebody wants. Each of these clients reads pages of the log by its postings, and only when there is
   * such an event; it is a cursor, too.
   */
  async *matching(
    wanted: Choice<R>,
    since: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<SharedFrame<E>, void> {
    let cursor = since ?? this.#head;
    if (cursor > this.#head) await this.#beyond(cursor);
    const waiter: Waiter<R> = { wanted, rung: true, ring: () => {} };
    this.#waiters.add(waiter);
    const ended = () => waiter.ring();
    signal.addEventListener('abort', ended);
    try {
      while (!signal.aborted) {
        if (!waiter.rung) {
          await new Promise<void>((resolve) => {
            waiter.ring = resolve;
          });
          continue;
        }
        waiter.rung = false;
        for (let more = true; more && !signal.aborted; ) {
          const found = await wanted.after(cursor);
          ({ upTo: cursor, more } = found);
          if (found.rows.length > 0) yield joinFrames(found.rows.map((row) => this.#frameOf({ row })));
        }
      }
    } finally {
      signal.removeEventListener('abort', ended);
      this.#waiters.delete(waiter);
    }
  }

  behind(cursor: number): Run<E> | undefined | Promise<Run<E> | undefined> {
    if (cursor === this.#head) return undefined;
    if (cursor > this.#head) return this.#beyond(cursor);
    if (cursor < this.#floor) return this.#page(cursor);
    if (this.#last?.after === cursor) return this.#last;
    const first = this.#firstBehind(cursor);
    const run = this.#recent.slice(first, first + PAGE);
    const upTo = run.at(-1)!.row.id;
    const frame = joinFrames(run.map((recent) => this.#frameOf(recent)));
    this.#last = { after: cursor, frame, upTo, newest: upTo === this.#head };
    return this.#last;
  }

  /** Nothing comes behind an event that has yet to be read; one that has yet to happen is refused. */
  async #beyond(cursor: number): Promise<undefined> {
    const newest = await this.#newest();
    if (cursor <= newest) return;
    throw new StreamEnd(1008, `since is beyond the newest event, which is ${newest}: begin there or before`);
  }

  async #page(cursor: number): Promise<Run<E> | undefined> {
    const rows = await this.#space.page(this.#told.log, { after: cursor, limit: PAGE });
    const last = rows.at(-1);
    return last && { frame: joinFrames(rows.map((row) => this.#frameOf({ row }))), upTo: last.id, newest: false };
  }

  #firstBehind(cursor: number): number {
    let low = 0;
    let high = this.#recent.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#recent[middle]!.row.id > cursor) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #take(row: Logged<R>): void {
    this.#head = row.id;
    this.#recent.push({ row });
    if (this.#recent.length > 2 * this.#capacity) {
      const dropped = this.#recent.splice(0, this.#capacity);
      this.#floor = dropped[dropped.length - 1]!.row.id;
    }
    for (const waiter of this.#waiters) {
      if (!waiter.wanted.has(row.record)) continue;
      waiter.rung = true;
      waiter.ring();
    }
    this.#ring();
  }

  /** At the end of this turn, so that waiting clients get all events of the turn at once. */
  #ring(): void {
    if (this.#ringing) return;
    this.#ringing = true;
    setImmediate(() => {
      this.#ringing = false;
      this.#last = undefined;
      for (const follower of this.#followers) follower.ring();
    });
  }

  async #newest(): Promise<number> {
    const [newest] = await this.#space.page(this.#told.log, { limit: 1 });
    return newest?.id ?? 0;
  }

  #frameOf(recent: Recent<R, E>): SharedFrame<E> {
    recent.frame ??= sharedFrame(this.#told.eventOf(recent.row));
    return recent.frame;
  }
}
