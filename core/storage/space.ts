import type { StorageAdapter } from './adapter.ts';
import type { Beside, Read, TxResult } from './batch.ts';
import type { Committer } from './committer.ts';
import type { Counter } from './declarations.ts';
import {
  type AppendLog,
  type Collection,
  type CounterRef,
  collection,
  type QueueRef,
  type Ranking,
  type Ref,
} from './declarations.ts';
import { collectionName, counterName, locate } from './locate.ts';
import { checkId, checkName } from './names.ts';
import * as pages from './pages.ts';
import type { SharedValues } from './shared-values.ts';
import { tail } from './tail.ts';
import type { OtherSpaces, Tx } from './transaction.ts';

/** How long the result of an operation id is remembered. */
export const OPERATION_TTL = 24 * 60 * 60 * 1000;

const operations = {
  ...collection<{ value?: unknown }>('operations', { schema: () => [], ttl: OPERATION_TTL }),
  name: '#operations',
};

/** The known values of collections and logs that are declared `shared`. */
export interface Known {
  readonly documents: SharedValues;
  readonly records: SharedValues;
}

/** One owner's part of the store: declarations of the same name in two spaces have nothing in common. */
export class Space {
  readonly name: string;
  readonly #adapter: StorageAdapter;
  readonly #committer: Committer;
  readonly #known: Known;
  readonly #random: (length: number) => Uint8Array;

  constructor(
    name: string,
    adapter: StorageAdapter,
    committer: Committer,
    known: Known,
    random: (length: number) => Uint8Array,
  ) {
    this.name = checkName(name);
    this.#adapter = adapter;
    this.#committer = committer;
    this.#known = known;
    this.#random = random;
  }

  /**
   * Runs a pure synchronous function over the declared reads and commits its effects, all or nothing, in order with
   * all other transactions on the same documents. It may run several times. Resolves when the effects are durable.
   * With `opId`, a second transaction of that id within 24 hours does nothing and gives the first one's value, which
   * has to be JSON. Rejects with what the function threw, InvalidValue, or a StorageError.
   */
  tx<R>(
    reads: readonly Read[],
    run: (tx: Tx) => R,
    { opId }: { readonly opId?: string | undefined } = {},
  ): Promise<TxResult<R>> {
    return this.txBeside(reads, [], run, { opId });
  }

  /** The same over this space and others, whose parts the function runs as guests. */
  txBeside<R>(
    reads: readonly Read[],
    beside: readonly Beside[],
    run: (tx: Tx, others: OtherSpaces) => R,
    { opId }: { readonly opId?: string | undefined } = {},
  ): Promise<TxResult<R>> {
    const marker = opId === undefined ? undefined : { of: operations, id: checkId(opId) };
    return this.#committer.submit<R>({ space: this.name, reads, beside, run, marker });
  }

  /** The value of a transaction that was committed with that operation id in the last 24 hours; undefined when none was. */
  async committed<R>(opId: string): Promise<{ readonly value: R } | undefined> {
    const found = await this.get({ of: operations, id: checkId(opId) });
    return found && { value: found.value as R };
  }

  /**
   * Stays the same while nothing in the store can have changed but by the passing of time, so that results made of
   * reads still hold; undefined where other processes change it too.
   */
  get changes(): number | undefined {
    return this.#adapter.guarantees.processes === 'one' ? this.#committer.changes : undefined;
  }

  /** Calls this after every commit of this process to the store, whatever it changed. The returned function ends it. */
  follow(changed: () => void): () => void {
    return this.#committer.follow(changed);
  }

  async get<T>(ref: Ref<T>): Promise<T | undefined> {
    const located = locate(this.name, ref);
    const [row] = await this.#adapter.read([located]);
    return row && this.#known.documents.document(ref, located.collection, row.value);
  }

  /** The documents as of one moment, in the order asked for. */
  async getMany<const T extends readonly unknown[]>(
    refs: { readonly [K in keyof T]: Ref<T[K]> },
  ): Promise<{ -readonly [K in keyof T]: T[K] | undefined }> {
    const located = refs.map((ref) => locate(this.name, ref));
    const rows = located.length === 0 ? [] : await this.#adapter.read(located);
    const values = rows.map(
      (row, i) => row && this.#known.documents.document(refs[i]!, located[i]!.collection, row.value),
    );
    return values as { -readonly [K in keyof T]: T[K] | undefined };
  }

  async put<T>(ref: Ref<T>, value: T, options: { readonly ttl?: number } = {}): Promise<void> {
    await this.tx([], (tx) => tx.put(ref, value, options));
  }

  async del(ref: Ref<any>): Promise<void> {
    await this.tx([], (tx) => tx.del(ref));
  }

  /** Appends one record and gives its id. */
  async append<T>(log: AppendLog<T>, record: T): Promise<number> {
    const { ids } = await this.tx([], (tx) => tx.append(log, record));
    return ids[0]!;
  }

  page(of: Ranking, query?: pages.RankingQuery): Promise<pages.Ranked[]>;
  page<T, I extends string>(of: Collection<T, I>, query?: pages.CollectionQuery<I>): Promise<pages.Found<T>[]>;
  page<T>(of: AppendLog<T>, query?: pages.LogQuery): Promise<pages.Logged<T>[]>;
  page(of: Ranking | Collection<any> | AppendLog<any>, query: object = {}): Promise<unknown[]> {
    if (of.kind === 'log')
      return pages.logPage(this.#adapter, this.name, of as AppendLog<any>, query, this.#known.records);
    if (of.kind === 'ranking') return pages.rankingPage(this.#adapter, this.name, of as Ranking, query);
    return pages.collectionPage(this.#adapter, this.name, of as Collection<any>, this.#known.documents, query);
  }

  /** How many documents a collection holds, or how many entries one of its indexes. */
  count<I extends string>(of: Collection<any, I>, index?: I): Promise<number> {
    return this.#adapter.count(collectionName(this.name, of), index);
  }

  /** A member's place, 1 for the best; undefined when it has no score. */
  rankOf(ranking: Ranking, member: string): Promise<number | undefined> {
    return pages.rankOf(this.#adapter, this.name, ranking, member);
  }

  async total(counter: Counter | CounterRef): Promise<bigint> {
    return (await this.totals(['of' in counter ? counter : counter.ref()]))[0]!;
  }

  totals(counters: readonly CounterRef[]): Promise<bigint[]> {
    return this.#adapter.counters(counters.map((ref) => counterName(this.name, ref)));
  }

  /**
   * Every record above `after`, in order and without gaps, then those to come. Ends when the signal is aborted or the
   * store is closed.
   */
  tail<T>(log: AppendLog<T>, after: number, signal: AbortSignal): AsyncGenerator<pages.Logged<T>, void> {
    return tail(this.#adapter, this.name, log, after, signal);
  }

  /** How many items wait, counting those that expired unseen. */
  async depth(queue: QueueRef<any>): Promise<number> {
    const head = await this.get(queue.of.heads.ref(queue.id));
    return head ? head.next - head.first : 0;
  }

  /** Takes everything out, or the oldest `limit` items, in one step. */
  async drain<T>(queue: QueueRef<T>, limit?: number): Promise<T[]> {
    return (await this.tx([queue], (tx) => tx.drain(queue, limit))).value;
  }

  /**
   * Reserves the oldest items: `ack` with the token takes them out, otherwise they come again after `ms`. Gives no
   * items while another reservation is live.
   */
  async reserve<T>(queue: QueueRef<T>, ms: number, limit?: number): Promise<{ token: string; items: T[] }> {
    const token = Buffer.from(this.#random(16)).toString('hex');
    const { value } = await this.tx([queue], (tx) => tx.reserve(queue, token, ms, limit));
    return { token, items: value };
  }

  /** False when the reservation is not the last one any more: its items were reserved again, drained or dropped. */
  async ack(queue: QueueRef<any>, token: string): Promise<boolean> {
    return (await this.tx([queue], (tx) => tx.ack(queue, token))).value;
  }
}
