import type { Clock } from '../../clock.ts';
import { type SharedFrame, StreamEnd, sharedFrame } from '../../http/frame.ts';
import type { Log } from '../../log.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { activity, type StoredActivity } from '../store/logs.ts';
import { type ActivityEvent, activityEvent } from './view.ts';

type Frame = SharedFrame<ActivityEvent>;

const PAGE = 200;
const RETRY = 1_000;

/**
 * The activity log as live frames. One reader follows the log for all clients and keeps the last frames, serialised
 * once; a client that is further behind is served pages of the log until it has caught up. A client is a cursor, not
 * a queue, so a slow one costs nothing and can never miss an event.
 */
export class ActivityFeed {
  readonly #space: Space;
  readonly #capacity: number;
  readonly #recent: { id: number; frame: Frame }[] = [];
  /** Every event above this id that has been read is in `#recent`. */
  #floor = 0;
  #head = 0;
  #changed = signalled();

  constructor(space: Space, capacity = 1024) {
    this.#space = space;
    this.#capacity = capacity;
  }

  /** Where the log ends now; call it once before `follow`. */
  async open(): Promise<void> {
    this.#head = this.#floor = await this.#newest();
  }

  /** Reads the log until the signal is aborted; a store that fails is asked again. */
  async follow(clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const row of this.#space.tail(activity, this.#head, signal)) this.#take(row);
        break;
      } catch (error) {
        log.warn({ err: error }, 'the activity log could not be read; trying again');
        await clock.sleep(RETRY, signal).catch(() => {});
      }
    }
    this.#wake();
  }

  /** Everything behind `since`, then what is to come; without `since` only the latter. Ends with the signal. */
  async *frames(since: number | undefined, signal: AbortSignal): AsyncGenerator<Frame, void, undefined> {
    if (since !== undefined && since > this.#head && since > (await this.#newest())) {
      throw new StreamEnd(1008, 'since is beyond the newest event');
    }
    let cursor = since ?? this.#head;
    while (!signal.aborted) {
      const changed = this.#changed.promise;
      const next = await this.#behind(cursor);
      for (const { id, frame } of next) {
        yield frame;
        cursor = id;
      }
      if (next.length === 0) await either(changed, signal);
    }
  }

  async #behind(cursor: number): Promise<{ id: number; frame: Frame }[]> {
    if (cursor >= this.#floor) return this.#recent.slice(this.#firstBehind(cursor));
    const rows = await this.#space.page(activity, { after: cursor, limit: PAGE });
    return rows.map((row) => ({ id: row.id, frame: sharedFrame(activityEvent(row)) }));
  }

  #firstBehind(cursor: number): number {
    let low = 0;
    let high = this.#recent.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#recent[middle]!.id > cursor) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #take(row: Logged<StoredActivity>): void {
    this.#head = row.id;
    this.#recent.push({ id: row.id, frame: sharedFrame(activityEvent(row)) });
    if (this.#recent.length > 2 * this.#capacity) {
      const dropped = this.#recent.splice(0, this.#capacity);
      this.#floor = dropped[dropped.length - 1]!.id;
    }
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = signalled();
  }

  async #newest(): Promise<number> {
    const [newest] = await this.#space.page(activity, { limit: 1 });
    return newest?.id ?? 0;
  }
}

interface Signalled {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function signalled(): Signalled {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Resolves when the promise does, or when the signal is aborted. */
function either(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    void promise.then(done);
  });
}
