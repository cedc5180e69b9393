import type { Clock, Random } from '../../../core/platform/clock.ts';

interface Timer {
  readonly at: number;
  /** Among timers of one moment the seed decides. */
  readonly lot: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Callbacks ordered at once. */
const MOST_ORDERED = 64;

/**
 * Time that passes only when somebody turns it, and then at once: the clock of every node of a virtual mesh and its
 * scheduler.
 *
 * **When the process is idle.** All that nodes wait for in a virtual mesh is one of three things: a timer of this
 * clock, a promise, or a next tick. Storage, verification, the mesh's transport and HTTP have forms that use nothing
 * else (`memoryStorage`, `VirtualVerifier`, `MemoryNetwork`, `VirtualHttp`): no thread, no socket, no file. Node runs
 * all promises and next ticks before the next callback of `setImmediate`. So one such callback after a timer, everything
 * that the timer has set off is done or waits for another timer, and the next one may run. Many callbacks are ordered at
 * once, because only then does Node not ask the system for events between two of them. `tripwires` proves that nothing
 * else is used.
 *
 * **Order.** Time is whole milliseconds, and a timer takes one at least, as the machine's do. Timers run in the order of
 * their moments. Those of the same moment run in an order drawn from the seed, so
 * that another seed tries another interleaving; what one caller plans for one moment stays in its order only as far as
 * the caller waits for it.
 */
export class VirtualTime implements Clock {
  readonly isSteady = true;
  readonly #random: Pick<Random, 'fraction'>;
  readonly #heap: Timer[] = [];
  #now: number;
  #order = 0;
  #turns = 0;

  constructor(random: Pick<Random, 'fraction'>, now: number) {
    this.#random = random;
    this.#now = now;
  }

  /** Timers that have run, the measure of how much has happened. */
  get turns(): number {
    return this.#turns;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = {
      at: this.#now + Math.max(1, Math.trunc(ms)),
      lot: this.#random.fraction(),
      order: this.#order++,
      run,
    };
    this.#push(timer);
    return () => {
      (timer as Timer).run = undefined;
    };
  }

  every(ms: number, run: () => void): () => void {
    let cancel = () => {};
    const again = () => {
      cancel = this.after(ms, () => {
        again();
        run();
      });
    };
    again();
    return () => cancel();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  /** Lets `ms` pass, and everything happen that happens in them. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#run(() => {
      const next = this.#next();
      return next && next.at <= end ? next : undefined;
    });
    this.#now = end;
  }

  /** Lets time pass until the work is done; for work that waits for nothing outside this time. */
  async until<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finish = () => {
      done = true;
    };
    work.then(finish, finish);
    await this.#run(() => {
      if (done) return undefined;
      const next = this.#next();
      if (!next) throw new Error('Nothing is planned any more, and the work is not done.');
      return next;
    });
    return work;
  }

  /** Lets time pass until `look` gives something; throws when that takes more than `ms`. */
  async when<T>(what: string, ms: number, look: () => Promise<T | undefined>): Promise<T> {
    for (const end = this.#now + ms; this.#now <= end; ) {
      const found = await this.until(look());
      if (found !== undefined) return found;
      await this.pass(Math.max(1, Math.floor(ms / 1_000)));
    }
    throw new Error(`It did not happen within ${ms} virtual milliseconds: ${what}`);
  }

  /** Runs one timer after the other, as long as `choose` gives one, each when all that the one before set off is done. */
  #run(choose: () => Timer | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false;
      const turn = () => {
        if (over) return;
        try {
          const timer = choose();
          if (timer) return this.#turn(timer);
          resolve();
        } catch (error) {
          reject(error);
        }
        over = true;
      };
      const order = (turns: number) => {
        if (over) return;
        for (let left = turns; left > 0; left--) setImmediate(turn);
        setImmediate(order, Math.min(2 * turns, MOST_ORDERED));
      };
      order(1);
    });
  }

  #turn(timer: Timer): void {
    this.#pop();
    this.#now = Math.max(this.#now, timer.at);
    this.#turns += 1;
    timer.run?.();
  }

  /** The first timer that was not cancelled. */
  #next(): Timer | undefined {
    while (this.#heap.length > 0 && !this.#heap[0]!.run) this.#pop();
    return this.#heap[0];
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.lot === other.lot ? one.order < other.order : one.lot < other.lot;
}
