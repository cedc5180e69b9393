import type { Clock } from '../../core/platform/clock.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import {
  type CommitBatch,
  type CommitResult,
  type DocumentRef,
  type Guarantees,
  type IndexedRow,
  type LogRow,
  type PageQuery,
  type RangeQuery,
  type Row,
  type StorageAdapter,
  StorageError,
} from '../../core/storage/adapter.ts';
import type { DumpRow } from '../../core/storage/dump.ts';
import { checkPage } from '../../core/storage/rows.ts';
import { batchArguments, type Operand } from './batch-arguments.ts';
import { idBounds, lexBounds, memberOf, setOf } from './bounds.ts';
import { parseEndpoint } from './client.ts';
import { Connection } from './connection.ts';
import { closed } from './faults.ts';
import { LogWatch } from './log-watch.ts';
import { unpackedRow } from './packed-value.ts';
import { COMMIT_BATCH, COUNT, PAGE_OF_POSTING, RANGE, RANK, READ, type Script, TOTALS } from './scripts.ts';
import type { Server } from './server.ts';
import { ServerTime } from './server-time.ts';
import { dumpRedis, fillRedis, refuseUnfinished, unfinished } from './transfer.ts';

export interface RedisOptions {
  /** `redis://user:password@host:port/0`, or `rediss://` for TLS. */
  readonly url: string;
  /** Names the store within its Redis: letters, digits, `.`, `_` and `-`. */
  readonly prefix: string;
  /** The clock that expiry goes by. Redis' own when absent, which is what several processes need. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
  /** How long a call waits for a connection, and then for its answer; 2 000 milliseconds when absent. */
  readonly commandTimeout?: number;
  /** How long `open` waits for a server that cannot be reached; 5 000 milliseconds when absent. */
  readonly openTimeout?: number;
  readonly log?: Log;
}

const PREFIX = /^[A-Za-z0-9._-]{1,64}$/;
/** Rounds of taking expired documents out, a thousand each, before a page gives up. */
const MAX_ROUNDS = 1_000;

/**
 * A store in Redis, which any number of processes may use at once. Every call is one script; see scripts.ts for how
 * the store lies there. The server decides which crashes an acknowledged commit survives, and `guarantees` says so.
 * Throws a TypeError when the URL or the prefix is none.
 */
export function redisStorage(options: RedisOptions): StorageAdapter {
  return new RedisStorage(options);
}

class RedisStorage implements StorageAdapter {
  readonly #connection: Connection;
  readonly #watch: LogWatch;
  readonly #now: () => string;
  readonly #clock: Pick<Clock, 'now'> | undefined;
  readonly #time = new ServerTime();
  readonly #commandTimeout: number;
  #closed = true;
  /** The number of the last commit from here: the next one is expected to be one above it. */
  #number = 0;
  /** The highest id or version that was given to a commit from here. */
  #told = 0;

  constructor({ url, prefix, clock, commandTimeout = 2_000, openTimeout = 5_000, log = silentLog }: RedisOptions) {
    if (!PREFIX.test(prefix)) {
      throw new TypeError('a prefix is 1 to 64 letters, digits, dots, underscores and hyphens');
    }
    const endpoint = parseEndpoint(url);
    const root = `{${prefix}}`;
    const lost = () => this.#watch.reset();
    const told = () => this.#told;
    const time = this.#time;
    this.#commandTimeout = commandTimeout;
    this.#connection = new Connection({ endpoint, root, commandTimeout, openTimeout, log, time, lost, told });
    this.#watch = new LogWatch(endpoint, root, (client) => this.#connection.unblock(client));
    this.#clock = clock;
    this.#now = () => (clock ? String(clock.now()) : '');
  }

  get guarantees(): Guarantees {
    const server = this.#connection.server;
    return server?.guarantees ?? { name: 'redis', durability: 'relaxed', processes: 'many', warnings: [] };
  }

  async open(): Promise<void> {
    await this.#connection.open();
    await refuseUnfinished(this.#transfer).catch(async (error) => {
      await this.#connection.close();
      throw error;
    });
    this.#closed = false;
  }

  async read(refs: readonly DocumentRef[]): Promise<(Row | undefined)[]> {
    const operands = [this.#now(), ...refs.flatMap(({ collection, id }) => [collection, id])];
    const rows = (await this.#ask(READ, operands, true)) as (Buffer | null)[];
    return rows.map((row) => (row === null ? undefined : parseRow(unpackedRow(row))));
  }

  async range(query: RangeQuery): Promise<IndexedRow[]> {
    checkPage(query.limit, query.offset);
    const { collection, index, reverse = false, offset = 0, limit } = query;
    const { below, end } = lexBounds(query);
    const operands = [collection, setOf(collection, index), below, end, reverse ? '1' : '0', `${offset}`, `${limit}`];
    const [members, stored] = (await this.#askUntilClean(RANGE, operands, true)) as [Buffer[], Buffer[]];
    const rows = members.map((bytes, i): IndexedRow => {
      const member = bytes.toString();
      const border = member.indexOf('\0');
      const key = border < 0 ? member : member.slice(0, border);
      return { id: member.slice(border + 1), key, ...parseRow(unpackedRow(stored[i]!)) };
    });
    return reverse ? rows.reverse() : rows;
  }

  async rank(collection: string, index: string, key: string, id: string): Promise<number | undefined> {
    const rank = Number(await this.#askUntilClean(RANK, [setOf(collection, index), memberOf(key, id)]));
    return rank < 0 ? undefined : rank;
  }

  async count(collection: string, index?: string): Promise<number> {
    return Number(await this.#askUntilClean(COUNT, [setOf(collection, index)]));
  }

  async page(query: PageQuery): Promise<LogRow[]> {
    checkPage(query.limit);
    this.#refuseWhenClosed();
    const { log, posting, limit } = query;
    const { low, high, newest } = idBounds(query);
    if (posting === undefined) {
      const records = await this.#connection.records(`:l:${log}`, newest ? [high, low] : [low, high], newest, limit);
      return records.map(([id, [, value]]) => ({ id: Number.parseInt(id, 10), value: value! }));
    }
    const set = `:p:${log}\0${posting}`;
    const operands = [log, set, low, high, newest ? '1' : '0', String(limit)];
    const reply = (await this.#ask(PAGE_OF_POSTING, operands)) as string[];
    const rows: LogRow[] = [];
    for (let i = 0; i < reply.length; i += 2) rows.push({ id: Number(reply[i]), value: reply[i + 1]! });
    return rows;
  }

  async counters(names: readonly string[]): Promise<bigint[]> {
    const reply = (await this.#ask(TOTALS, [...names])) as (string | null)[];
    return names.map((_, i) => BigInt(reply[i] ?? '0'));
  }

  async commit(batch: CommitBatch): Promise<CommitResult> {
    this.#refuseWhenClosed();
    const operands = batchArguments(batch, this.#number + 1, this.#clock !== undefined);
    const until = performance.now() + this.#commandTimeout;
    const made = ({ run }: Server) => [this.#now(), run, String(this.#time.at(until) ?? ''), ...operands];
    for (let tries = 0; tries < 3; tries++) {
      const [state, ...rest] = (await this.#connection.run(COMMIT_BATCH, made, { again: false })) as (
        | number
        | string
      )[];
      if (state === 1) {
        const [time, version, ...ids] = rest.map(Number);
        this.#time.learn(time!);
        this.#number = version!;
        this.#told = Math.max(this.#told, version!, ...ids);
        return { ok: true, ids, version: version! };
      }
      if (state === 0) return { ok: false, stale: rest.map((place) => refOf(batch.checks[Number(place) - 1]!)) };
      if (state === -2) throw unfinished();
      if (state === -3) {
        this.#time.learn(Number(rest[0]));
        if (performance.now() < until) continue;
        throw new StorageError('unavailable', 'Redis was reached too late; nothing was changed');
      }
      await this.#connection.readopt();
    }
    throw new StorageError('unavailable', 'several Redis servers claim to hold the store; nothing was changed');
  }

  /** The server's own, unless a clock was given to go by. */
  now(): number | undefined {
    return this.#clock ? undefined : this.#time.now();
  }

  async changed(log: string, after: number, signal: AbortSignal): Promise<void> {
    this.#refuseWhenClosed();
    await this.#watch.wait(log, after, signal);
  }

  async *dump(): AsyncGenerator<DumpRow> {
    this.#refuseWhenClosed();
    yield* dumpRedis(this.#transfer, this.#clock?.now() ?? this.#time.now() ?? Date.now());
  }

  async load(rows: AsyncIterable<DumpRow>): Promise<void> {
    await this.#connection.open();
    try {
      await fillRedis(this.#transfer, rows);
    } finally {
      await this.#connection.close();
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#watch.close();
    await this.#connection.close();
  }

  readonly #transfer = (script: Script, operands: Operand[], rows = false): Promise<unknown> =>
    this.#connection.run(script, () => operands, { again: false, rows });

  async #ask(script: Script, operands: string[], rows = false): Promise<unknown> {
    this.#refuseWhenClosed();
    return this.#connection.run(script, () => operands, { again: true, rows });
  }

  /** Asks again as long as the script answers that more has expired than it takes out at once. */
  async #askUntilClean(script: Script, operands: string[], rows = false): Promise<unknown> {
    const now = this.#now();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const reply = await this.#ask(script, [now, ...operands], rows);
      if (reply !== null) return reply;
    }
    throw new StorageError('unavailable', 'too many documents expired at once');
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw closed();
  }
}

/** `<version> <expires> <bytes of entries> <characters of entries> <entries><value>` */
function parseRow(row: string): Row {
  const version = row.indexOf(' ');
  const expires = row.indexOf(' ', version + 1);
  const bytes = row.indexOf(' ', expires + 1);
  const head = row.indexOf(' ', bytes + 1);
  const entries = Number(row.slice(bytes + 1, head));
  return { version: Number(row.slice(0, version)), value: row.slice(head + 1 + entries) };
}

function refOf({ collection, id }: DocumentRef): DocumentRef {
  return { collection, id };
}
