/** Pushes under way and waiting in one lane. */
const WAITING = 32;
/** Lanes of hosts that are remembered; beyond, one in which nothing waits is forgotten, though it rests. */
const MOST_HOSTS = 1_000;
/** Hosts that are called at once, and lanes whose turn has not come: half of what a plugin may call stays for the services. */
const HOSTS_AT_ONCE = 4;
const HOSTS_WAITING = 16;
const FIRST_PAUSE = 15_000;
const LONGEST_PAUSE = 3_600_000;

interface Lane {
  tail: Promise<void>;
  waiting: number;
  /** Unix milliseconds until which nothing is pushed, after faults in a row. */
  pausedUntil: number;
  faults: number;
}

/** Where a push goes: to a service of the operator's choice, or to a host that any agent may name. */
export interface LaneName {
  readonly kind: 'service' | 'host';
  readonly name: string;
}

export interface PushResult {
  readonly failed: boolean;
  /** Milliseconds that the service wants to rest. */
  readonly after?: number;
}

/**
 * One push after the other to each service and to each host of webhooks, and a pause that doubles while it fails: a service that
 * is slow or refuses costs those alone who are woken by it. Hosts, which strangers choose, take neither calls nor lanes from services.
 */
export class Lanes {
  readonly #services = new Map<string, Lane>();
  readonly #hosts = new Map<string, Lane>();
  readonly #now: () => number;
  #free = HOSTS_AT_ONCE;
  readonly #turns: (() => void)[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** When a push may be given to the lane, Unix milliseconds; 0 for now. */
  opensAt({ kind, name }: LaneName): number {
    const later = this.#now() + FIRST_PAUSE;
    const lane = this.#lanesOf(kind).get(name);
    if (lane && lane.pausedUntil > this.#now()) return lane.pausedUntil;
    if (lane && lane.waiting >= WAITING) return later;
    if (kind === 'service') return 0;
    if (this.#turns.length >= HOSTS_WAITING) return later;
    return lane || this.#hosts.size < MOST_HOSTS || this.#forgetOne() ? 0 : later;
  }

  /** Does the work when those before it in the lane are done. `work` tells whether the service failed. */
  run({ kind, name }: LaneName, work: () => Promise<PushResult>): Promise<void> {
    const lanes = this.#lanesOf(kind);
    const lane = lanes.get(name) ?? { tail: Promise.resolve(), waiting: 0, pausedUntil: 0, faults: 0 };
    lanes.set(name, lane);
    lane.waiting += 1;
    // An earlier failure is told to those who asked for it.
    lane.tail = lane.tail
      .catch(() => {})
      .then(async () => {
        try {
          const { failed, after = 0 } = await (kind === 'host' ? this.#inTurn(work) : work());
          lane.faults = failed ? lane.faults + 1 : 0;
          const pause = failed ? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(lane.faults - 1, 10)) : 0;
          lane.pausedUntil = this.#now() + Math.max(pause, after);
        } finally {
          lane.waiting -= 1;
        }
      });
    return lane.tail;
  }

  #lanesOf(kind: LaneName['kind']): Map<string, Lane> {
    return kind === 'service' ? this.#services : this.#hosts;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#turns.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#turns.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /** The lane in which nothing waits and whose rest ends first; false where something waits in each. */
  #forgetOne(): boolean {
    const [first] = [...this.#hosts]
      .filter(([, { waiting }]) => waiting === 0)
      .sort(([, one], [, other]) => one.pausedUntil - other.pausedUntil);
    return first !== undefined && this.#hosts.delete(first[0]);
  }
}
