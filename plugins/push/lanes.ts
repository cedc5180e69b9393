/** Pushes under way and waiting in one lane. */
const WAITING = 32;
/** Lanes that are remembered; beyond, those with nothing in them are forgotten. */
const MOST_LANES = 1_000;
const FIRST_PAUSE = 15_000;
const LONGEST_PAUSE = 3_600_000;

interface Lane {
  tail: Promise<void>;
  waiting: number;
  /** Unix milliseconds until which nothing is pushed, after faults in a row. */
  pausedUntil: number;
  faults: number;
}

/**
 * One push after the other to each service and to each host of webhooks, and a pause that doubles while it fails: a service that
 * is slow or refuses costs those alone who are woken by it.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** When a push may be given to the lane, Unix milliseconds; 0 for now. */
  opensAt(name: string): number {
    const lane = this.#lanes.get(name);
    if (!lane) return this.#lanes.size < MOST_LANES || this.#forgetIdle() ? 0 : this.#now() + FIRST_PAUSE;
    if (lane.pausedUntil > this.#now()) return lane.pausedUntil;
    return lane.waiting < WAITING ? 0 : this.#now() + FIRST_PAUSE;
  }

  /** Does the work when those before it in the lane are done. `work` tells whether the service failed, and how long it wants to rest. */
  run(name: string, work: () => Promise<{ readonly failed: boolean; readonly after?: number }>): Promise<void> {
    const lane = this.#lanes.get(name) ?? { tail: Promise.resolve(), waiting: 0, pausedUntil: 0, faults: 0 };
    this.#lanes.set(name, lane);
    lane.waiting += 1;
    lane.tail = lane.tail.then(async () => {
      try {
        const { failed, after = 0 } = await work();
        lane.faults = failed ? lane.faults + 1 : 0;
        const pause = failed ? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(lane.faults - 1, 10)) : 0;
        lane.pausedUntil = this.#now() + Math.max(pause, after);
      } finally {
        lane.waiting -= 1;
      }
    });
    return lane.tail;
  }

  #forgetIdle(): boolean {
    for (const [name, { waiting, pausedUntil }] of this.#lanes)
      if (waiting === 0 && pausedUntil <= this.#now()) this.#lanes.delete(name);
    return this.#lanes.size < MOST_LANES;
  }
}
