import { Tail } from '../../../core/plugin.ts';
import type { Clock } from '../../../core/services.ts';
import { isInterrupted, type StreamResponse } from '../protocol/objects.ts';
import type { Visit } from '../protocol/visit.ts';
import type { TaskRecord } from './records.ts';
import type { Seats } from './seats.ts';
import { changes, taskOf } from './shown.ts';
import type { TaskBook } from './task-book.ts';

/** Milliseconds that a call waits for its task: proxies cut at 30 seconds. */
const WAIT = 25_000;
/** Milliseconds after which a stream is closed; its client subscribes again. */
const LONGEST = 3_600_000;
/** Changes that a slow client may be behind. */
const BEHIND = 64;
/** Milliseconds after which the store is looked at for changes that another process of the node made. */
const LOOK = 1_000;

/** Waits for tasks to change, for one call or on a stream. */
export class Watching {
  readonly #book: TaskBook;
  readonly #seats: Seats;
  readonly #clock: Clock;

  constructor(book: TaskBook, seats: Seats, clock: Clock) {
    this.#book = book;
    this.#seats = seats;
    this.#clock = clock;
  }

  /** The task once it has ended or waits for its client, or as it is when the time is up. */
  async settled(record: TaskRecord, { caller, network, signal }: Visit): Promise<TaskRecord> {
    const rests = ({ final, state }: TaskRecord) => final || isInterrupted(state);
    if (rests(record)) return record;
    const free = this.#seats.take(caller, network, signal);
    const tail = new Tail<TaskRecord>(signal, BEHIND);
    const cancel = this.#clock.after(WAIT, () => tail.end());
    const end = this.#watch(record.id, tail);
    try {
      let shown = (await this.#book.get(record.id)) ?? record;
      if (rests(shown)) return shown;
      for await (const after of tail) {
        shown = after;
        if (rests(shown)) break;
      }
      return shown;
    } finally {
      end();
      cancel();
      free();
    }
  }

  /** Pushes the changes of a task until the function returned is called: those of this process at once, those of others when it looks. */
  #watch(id: string, tail: Tail<TaskRecord>): () => void {
    let cancel = () => {};
    let last = '';
    const told = (after: TaskRecord) => {
      last = versionOf(after);
      tail.push(after);
    };
    const unwatch = this.#book.watch(id, told);
    const look = async () => {
      const after = await this.#book.get(id).catch(() => undefined);
      if (isEnded) return;
      if (after && versionOf(after) !== last) told(after);
      cancel = this.#clock.after(LOOK, () => void look());
    };
    let isEnded = false;
    cancel = this.#clock.after(LOOK, () => void look());
    return () => {
      isEnded = true;
      cancel();
      unwatch();
    };
  }

  /** The task and then its changes, to its end. Refusals come before the first event. */
  async stream(record: TaskRecord, { caller, network, signal }: Visit): Promise<AsyncGenerator<StreamResponse, void>> {
    const free = this.#seats.take(caller, network, signal);
    const tail = new Tail<TaskRecord>(signal, BEHIND);
    const unwatch = this.#watch(record.id, tail);
    const cancel = this.#clock.after(LONGEST, () => tail.end());
    const end = () => {
      signal.removeEventListener('abort', end);
      unwatch();
      cancel();
      free();
    };
    // A client that leaves before the first event leaves a generator that never runs.
    signal.addEventListener('abort', end);
    try {
      return told((await this.#book.get(record.id)) ?? record, tail, end);
    } catch (error) {
      end();
      throw error;
    }
  }
}

/** Changes whenever a stream has something to tell. */
function versionOf({ turn, artifacts, final }: TaskRecord): string {
  return `${turn} ${artifacts.length} ${final}`;
}

async function* told(first: TaskRecord, tail: Tail<TaskRecord>, end: () => void): AsyncGenerator<StreamResponse, void> {
  try {
    yield { task: taskOf(first) };
    let shown = first;
    if (shown.final) return;
    for await (const after of tail) {
      // Changes from before the first look are told by it already.
      if (after.turn < shown.turn || after.artifacts.length < shown.artifacts.length) continue;
      yield* changes(shown, after);
      shown = after;
      if (shown.final) return;
    }
  } finally {
    end();
  }
}
