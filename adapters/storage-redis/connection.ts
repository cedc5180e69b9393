import type { Redis } from 'ioredis';
import type { Log } from '../../core/platform/log.ts';
import { StorageError } from '../../core/storage/adapter.ts';
import type { Operand } from './batch-arguments.ts';
import { createClient, type Endpoint } from './client.ts';
import { EncodedCommand } from './encoded-command.ts';
import {
  asStorageError,
  closed,
  halfCommit,
  isReadOnly,
  isReply,
  isUnknownScript,
  stillLoading,
  unreachable,
  wasNotSent,
} from './faults.ts';
import { ADOPT, type Script } from './scripts.ts';
import { inspect, type Server } from './server.ts';
import type { ServerTime } from './server-time.ts';

export interface ConnectionOptions {
  readonly endpoint: Endpoint;
  /** The key that every script is given; all keys begin with it. */
  readonly root: string;
  /** How long a call waits for a connection, and then for its answer; milliseconds. */
  readonly commandTimeout: number;
  /** How long `open` waits for a server that cannot be reached. */
  readonly openTimeout: number;
  readonly log: Log;
  /** Learns the time of each server that is met. */
  readonly time: ServerTime;
  /** Called when the connection has ended; the next one may lead to another server. */
  readonly lost: () => void;
  /** The highest number that a server gave to this process, as an id or a version. */
  readonly told: () => number;
}

export type Records = [id: string, fields: string[]][];

/** How long `open` waits for a server that is there and loads its data. */
const LOADING_TIMEOUT = 60_000;
/** How long a server that was refused is left alone. */
const REFUSED_PAUSE = 1_000;

/**
 * The connection that scripts run on. When it is lost it comes back by itself; the server is asked again for its run
 * and its settings before anything is sent to it, since it may have been restarted with other settings or with less
 * data.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #redis: Redis;
  readonly #inFlight = new Set<Promise<unknown>>();
  #waiting = new Set<() => void>();
  /** The server at the other end; absent while there is no connection. */
  #server: Promise<Server> | undefined;
  #known: Server | undefined;
  #lastError: unknown;
  #closed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { commandTimeout } = options;
    this.#redis = createClient(options.endpoint, { commandTimeout, connectTimeout: commandTimeout });
    this.#redis.on('ready', () => this.#meet());
    this.#redis.on('close', () => this.#lose());
    this.#redis.on('error', (error) => {
      this.#lastError = error;
      this.#wake();
    });
  }

  /** The server of the present connection, or the last one. */
  get server(): Server | undefined {
    return this.#known;
  }

  async open(): Promise<void> {
    this.#redis.connect().catch(() => {});
    const started = performance.now();
    for (;;) {
      const waited = performance.now() - started;
      const isLoading = this.#redis.status === 'connect';
      const limit = isLoading ? LOADING_TIMEOUT : this.#options.openTimeout;
      if (this.#server) {
        await this.#server.catch((error) => this.#giveUp(error));
        return;
      }
      if (isReply(this.#lastError)) this.#giveUp(this.#lastError);
      if (waited >= limit) this.#giveUp(this.#lastError ?? (isLoading ? stillLoading() : undefined));
      await this.#change(Math.min(limit - waited, 250));
    }
  }

  /**
   * Runs a script; `operands` are made for the server that will get them. With `again`, a call whose answer was lost is
   * made again while there is time, which only a script that changes nothing may ask for. Rows come as buffers, with all other texts of the
   * answer, where `rows` says so.
   */
  run(
    script: Script,
    operands: (server: Server) => Operand[],
    { again, rows = false }: { again: boolean; rows?: boolean },
  ): Promise<unknown> {
    return this.#finish(this.#attempt((server) => this.#send(script, operands(server), rows ? null : 'utf8'), again));
  }

  /** Records of a stream between two ids, both included. */
  records(key: string, [from, to]: readonly [string, string], reverse: boolean, count: number): Promise<Records> {
    const stream = this.#options.root + key;
    const ask = () =>
      reverse
        ? this.#redis.xrevrange(stream, from, to, 'COUNT', count)
        : this.#redis.xrange(stream, from, to, 'COUNT', count);
    return this.#finish(this.#attempt(ask, true));
  }

  /** Keeps count of calls that have begun, so that closing can wait for them. */
  async #finish<T>(call: Promise<T>): Promise<T> {
    this.#inFlight.add(call);
    try {
      return await call;
    } finally {
      this.#inFlight.delete(call);
    }
  }

  /** Makes sure that the run of the server that this process knows is the one that may write. */
  async readopt(): Promise<void> {
    this.#server &&= this.#greet();
    await this.#server?.catch(() => {});
  }

  /** Ends the wait of a blocked client: whether it was waiting, or undefined when the server does not do that now. */
  async unblock(client: string): Promise<boolean | undefined> {
    return this.#redis.client('UNBLOCK', client).then(
      (ended) => Number(ended) === 1,
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await Promise.allSettled(this.#inFlight);
    this.#redis.disconnect();
  }

  async #attempt<T>(send: (server: Server) => Promise<T>, again: boolean): Promise<T> {
    const until = performance.now() + this.#options.commandTimeout;
    for (;;) {
      const server = await this.#connected(until);
      const { stream } = this.#redis;
      try {
        return await send(server);
      } catch (error) {
        if (error instanceof Error && error.message === 'Command timed out') {
          // Nothing that is still to come on this connection can be trusted to come.
          stream.destroy();
          throw asStorageError(error);
        }
        // The host's name may lead to another server by now, which has become the primary.
        if (isReadOnly(error)) stream.destroy();
        const lost = !isReply(error) && !(error instanceof StorageError);
        if (!(wasNotSent(error) || (again && lost)) || this.#closed) throw asStorageError(error);
        await this.#change(Math.max(0, Math.min(50, until - performance.now())));
      }
    }
  }

  async #send(script: Script, operands: Operand[], replies: 'utf8' | null = 'utf8'): Promise<unknown> {
    const { root } = this.#options;
    try {
      return await this.#redis.sendCommand(new EncodedCommand('evalsha', [script.sha, '1', root], operands, replies));
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return this.#redis.sendCommand(new EncodedCommand('eval', [script.text, '1', root], operands, replies));
    }
  }

  async #connected(until: number): Promise<Server> {
    for (;;) {
      if (this.#closed) throw closed();
      const meeting = this.#server;
      if (meeting) {
        const server = await meeting.catch((error) => {
          if (isReply(error) || error instanceof StorageError) throw asStorageError(error);
        });
        if (server && this.#server === meeting) return server;
      }
      const left = until - performance.now();
      if (left <= 0) {
        // The server is there, and its own error says why it refuses us.
        if (isReply(this.#lastError)) throw asStorageError(this.#lastError);
        const { shown } = this.#options.endpoint;
        throw new StorageError('unavailable', `there is no connection to Redis at ${shown}`, {
          cause: this.#lastError,
        });
      }
      if (this.#server === meeting) await this.#change(left);
    }
  }

  #meet(): void {
    this.#lastError = undefined;
    const { stream } = this.#redis;
    this.#server = this.#greet();
    this.#server.then(
      () => this.#wake(),
      () => {
        // A server that refuses now may accept later, as may another one that the host's name leads to by then.
        setTimeout(() => stream.destroy(), REFUSED_PAUSE).unref();
        this.#wake();
      },
    );
    this.#wake();
  }

  #lose(): void {
    if (this.#server && !this.#closed) {
      this.#options.log.warn({ redis: this.#options.endpoint.shown }, 'lost the connection to Redis');
    }
    this.#server = undefined;
    this.#options.lost();
    this.#wake();
  }

  async #greet(): Promise<Server> {
    const before = this.#known;
    const server = await inspect(this.#redis);
    if (server.time !== undefined) this.#options.time.learn(server.time);
    if (server.run) await this.#adopt(server, before !== undefined);
    this.#known = server;
    if (before) {
      const { durability, warnings } = server.guarantees;
      this.#options.log.info({ redis: this.#options.endpoint.shown, durability, warnings }, 'connected to Redis again');
    }
    return server;
  }

  async #adopt({ run, gap, keepsLog }: Server, isKnown: boolean): Promise<void> {
    const { endpoint, log, told } = this.#options;
    const operands = [run, String(gap), isKnown ? '1' : '0', String(told())];
    const [restarted, half, held] = (await this.#send(ADOPT, operands)) as [number, number, string];
    if (half === 1) throw halfCommit(endpoint.shown);
    // Where the log was cut within a commit, its half would come back at the next start: a new log does not hold it.
    if (restarted === 1 && keepsLog) await this.#redis.bgrewriteaof().catch(() => {});
    if (held === '') return;
    log.error(
      { redis: endpoint.shown, acknowledged: told(), held: Number(held) },
      'Redis came back without commits that it had acknowledged; what they changed is gone, and no number of theirs is given again. ' +
        'If it has "appendfsync always", look at its disk; if another one took over, see that it copies in time',
    );
  }

  #giveUp(error: unknown): never {
    this.#closed = true;
    this.#redis.disconnect();
    if (isReply(error) || error instanceof StorageError) throw asStorageError(error);
    const { shown, isTls } = this.#options.endpoint;
    throw unreachable(shown, error, isTls);
  }

  /** Resolves when the state of the connection may have changed, or after some milliseconds. */
  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const done of waiting) done();
  }
}
