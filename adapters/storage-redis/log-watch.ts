import type { Redis } from 'ioredis';
import { createClient, type Endpoint } from './client.ts';

interface Waiting {
  readonly log: string;
  readonly after: number;
  readonly done: () => void;
}

/** Ends the wait of a blocked client: whether it was waiting, or undefined when that cannot be told. */
export type Unblock = (client: string) => Promise<boolean | undefined>;

/** How long Redis holds a read that finds nothing; shorter where a new wait cannot end it. */
const BLOCK = 1_000;
const SHORT_BLOCK = 250;
/** How much later than asked the answer may come before the connection counts as dead. */
const GRACE = 1_000;

/**
 * Tells waiting readers that their log grew, over a connection of its own that blocks in XREAD. After a loss the
 * connection asks again from each reader's position, so nothing is missed; a subscription could not promise that.
 */
export class LogWatch {
  readonly #redis: Redis;
  readonly #root: string;
  readonly #unblock: Unblock;
  readonly #waiting = new Set<Waiting>();
  /** The logs that the present read asks for, and the id from which on. */
  #asked = new Map<string, number>();
  #interrupted: Map<string, number> | undefined;
  #client: string | undefined;
  #reading: Promise<void> | undefined;
  #pause: (() => void) | undefined;
  #closed = false;

  constructor(endpoint: Endpoint, root: string, unblock: Unblock) {
    this.#redis = createClient(endpoint, { connectTimeout: GRACE });
    this.#root = root;
    this.#unblock = unblock;
    this.#redis.on('ready', () => this.#identify());
    this.#redis.on('close', () => {
      this.#client = undefined;
    });
  }

  wait(log: string, after: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const waiting: Waiting = {
        log,
        after,
        done: () => {
          this.#waiting.delete(waiting);
          signal.removeEventListener('abort', waiting.done);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', waiting.done, { once: true });
      if (!this.#reading) this.#reading = this.#read();
      else if ((this.#asked.get(log) ?? Number.POSITIVE_INFINITY) > after) void this.#interrupt();
    });
  }

  /** Asks on a new connection: the present one may lead to a server that is not the primary any more. */
  reset(): void {
    this.#redis.stream?.destroy();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { done } of [...this.#waiting]) done();
    this.#pause?.();
    this.#redis.disconnect();
    await this.#reading;
  }

  async #read(): Promise<void> {
    let failures = 0;
    while (!this.#closed && this.#waiting.size > 0) {
      try {
        if (this.#redis.status !== 'ready') await this.#connect();
        this.#tell(await this.#ask());
        failures = 0;
      } catch {
        this.#asked.clear();
        await this.#sleep(Math.min(25 * 2 ** failures++, 1_000));
      }
    }
    this.#asked.clear();
    this.#reading = undefined;
  }

  async #ask(): Promise<Map<string, number>> {
    this.#asked = new Map();
    for (const { log, after } of this.#waiting) {
      this.#asked.set(log, Math.min(after, this.#asked.get(log) ?? Number.POSITIVE_INFINITY));
    }
    const block = this.#client === undefined ? SHORT_BLOCK : BLOCK;
    const { stream } = this.#redis;
    const timer = setTimeout(() => stream.destroy(), block + GRACE);
    try {
      const keys = [...this.#asked.keys()].map((log) => `${this.#root}:l:${log}`);
      const ids = [...this.#asked.values()].map((after) => `${Math.max(0, Math.floor(after))}-0`);
      const reply = await this.#redis.xread('COUNT', 1, 'BLOCK', block, 'STREAMS', ...keys, ...ids);
      const logs = [...this.#asked.keys()];
      return new Map(
        (reply ?? []).map(([key, [record]]) => [logs[keys.indexOf(key)]!, Number.parseInt(record![0], 10)]),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(grown: ReadonlyMap<string, number>): void {
    for (const { log, after, done } of [...this.#waiting]) if ((grown.get(log) ?? 0) > after) done();
  }

  /** The present read does not cover a log that a reader now waits for. It may not even have reached the server yet. */
  async #interrupt(): Promise<void> {
    const asked = this.#asked;
    if (asked === this.#interrupted) return;
    this.#interrupted = asked;
    while (asked === this.#asked && asked.size > 0 && this.#client !== undefined && !this.#closed) {
      const ended = await this.#unblock(this.#client);
      if (ended) return;
      if (ended === undefined) this.#client = undefined;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  #identify(): void {
    this.#redis.client('ID').then(
      (id) => {
        this.#client = String(id);
      },
      () => {},
    );
  }

  async #connect(): Promise<void> {
    if (this.#redis.status === 'wait') return this.#redis.connect();
    throw new Error('not connected');
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#pause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
