/**
 * The store in which the rest of the system keeps its data.
 *
 * Declarations are values; spaces and transactions have the verbs:
 *
 *     const deals = collection<Deal>('deals', {
 *       schema: 'deal',
 *       indexes: { by_state: (deal) => [deal.state, deal.updated_at] },
 *     });
 *     const activity = appendLog<Activity>('activity', { schema: 'activity', postings: (a) => [a.agent_id, a.target_agent_id] });
 *     const leaderboard = ranking('leaderboard');
 *     const settled = counter('settled');
 *     const pending = queue<Pending>('pending', { schema: 'pending', cap: 100, overflow: 'drop-oldest', ttl: DAY });
 *     const hosts = expiring<Host>('hosts', { schema: 'host', ms: 120_000 });
 *
 *     const store = await openStore(adapter, { validate, clock, random });
 *     const space = store.space('core');
 *
 *     const { value, ids } = await space.tx([deals.ref(id)], (tx) => {
 *       const deal = tx.get(deals.ref(id));
 *       if (!deal) throw new MeshError('not_found');
 *       tx.put(deals.ref(id), { ...deal, state: 'settled' });
 *       tx.append(activity, { type: 'SETTLED', agent_id: deal.seller, target_agent_id: deal.buyer });
 *       tx.rank(leaderboard, deal.seller, score);
 *       tx.add(settled, deal.amount);
 *       tx.push(pending.ref(deal.buyer), { envelope });
 *       return deal.seller;
 *     }, { opId: envelopeId });
 *
 *     await space.get(deals.ref(id));
 *     await space.page(deals, { index: 'by_state', prefix: ['settled'], reverse: true, after: lastRow });
 *     await space.page(activity, { posting: agentId, before: 1_000, limit: 50 });
 *     await space.page(leaderboard, { offset: 100 });
 *     await space.rankOf(leaderboard, agentId);
 *     for await (const { id, record } of space.tail(activity, since, signal)) ...
 *     const { token, items } = await space.reserve(pending.ref(agentId), 60_000);
 *     await space.ack(pending.ref(agentId), token);
 *
 * The function of a transaction is pure and synchronous: it may run several times, so it touches nothing but `tx`,
 * reads only what was declared or pulled, and takes the time from `tx.now`. Values are JSON; money is decimal digit strings.
 * Values read are the caller's own copies, or frozen where the declaration says `shared`. Reads show durable state only.
 */
import type { Clock, Random } from '../platform/clock.ts';
import { type Guarantees, type StorageAdapter, StorageError, type StorageFault } from './adapter.ts';
import { Committer } from './committer.ts';
import { collection } from './declarations.ts';
import { SharedValues } from './shared-values.ts';
import { Space } from './space.ts';
import type { Validate } from './values.ts';

export interface StoreOptions {
  readonly validate: Validate;
  readonly clock: Clock;
  readonly random: Random;
  /** Told once when writes begin to be refused, for whatever reason, and once when they are taken again. */
  readonly troubled?: (trouble: StorageError | undefined) => void;
}

/** Written to find out whether writes are taken again. */
const probes = collection<object>('probes', { schema: () => [] });

/** Faults after which writes are refused until something changes. */
const TROUBLES: ReadonlySet<StorageFault> = new Set(['full', 'poisoned', 'unavailable']);
/** A commit that was taken so many milliseconds ago says that the next one is. */
const FRESH = 100;

/** How many parsed values are kept of each collection and log that is shared. */
const SHARED_DOCUMENTS = 4_096;
const SHARED_RECORDS = 2_048;

/** Opens the adapter and gives the store on it. Rejects with a StorageError when it cannot be opened as it is. */
export async function openStore(adapter: StorageAdapter, options: StoreOptions): Promise<Store> {
  await adapter.open();
  return new Store(adapter, options);
}

export class Store {
  readonly #adapter: StorageAdapter;
  readonly #committer: Committer;
  readonly #documents = new SharedValues(SHARED_DOCUMENTS);
  readonly #records = new SharedValues(SHARED_RECORDS);
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #troubled: StoreOptions['troubled'];
  #trouble: StorageError | undefined;
  #probing: Promise<void> | undefined;
  /** When a commit was last taken. */
  #taken = Number.NEGATIVE_INFINITY;
  readonly #spaces = new Map<string, Space>();

  constructor(adapter: StorageAdapter, options: StoreOptions) {
    this.#adapter = adapter;
    this.#random = options.random;
    this.#clock = options.clock;
    this.#troubled = options.troubled;
    const committed = (error: unknown, adds: boolean) => this.#committed(error, adds);
    this.#committer = new Committer({ adapter, values: this.#documents, ...options, committed });
  }

  get guarantees(): Guarantees {
    return this.#adapter.guarantees;
  }

  /** Why writes are refused; undefined while they are taken. */
  get trouble(): StorageError | undefined {
    return this.#trouble;
  }

  /** Milliseconds by which the clock of this process is ahead of the store's own; 0 where the store has none, or it is not known. */
  get ahead(): number {
    const theirs = this.#adapter.now?.();
    return theirs === undefined ? 0 : this.#clock.now() - theirs;
  }

  /** Writes something that is gone in the next millisecond, so that it shows whether there is room and all stays as it was. */
  async probe(): Promise<void> {
    await this.space('store').put(probes.ref('one'), {}, { ttl: 1 });
  }

  /**
   * Finds out whether writes are taken now, and gives up after `patience` milliseconds: then the store is in trouble until
   * a write is answered. Never rejects.
   */
  async look(patience: number): Promise<void> {
    const began = this.#clock.now();
    if (began - this.#taken < FRESH) return;
    this.#probing ??= this.probe()
      .catch(() => {})
      .finally(() => {
        this.#probing = undefined;
      });
    const waiting = new AbortController();
    const late = this.#clock.sleep(patience, waiting.signal).catch(() => {});
    await Promise.race([this.#probing, late]);
    waiting.abort();
    if (this.#taken >= began || this.#probing === undefined || this.#trouble) return;
    const silence = `The store has not answered for ${patience / 1_000} seconds.`;
    this.#committed(new StorageError('unavailable', silence), true);
  }

  space(name: string): Space {
    let space = this.#spaces.get(name);
    if (!space) {
      const known = { documents: this.#documents, records: this.#records };
      space = new Space(name, this.#adapter, this.#committer, known, (length) => this.#random.bytes(length));
      this.#spaces.set(name, space);
    }
    return space;
  }

  #committed(error: unknown, adds: boolean): void {
    const isTrouble = error instanceof StorageError && TROUBLES.has(error.fault);
    if (error !== undefined && !isTrouble) return;
    // A store that is full takes what frees room: that is no word of there being any.
    if (!isTrouble && !adds) return;
    if (!isTrouble) this.#taken = this.#clock.now();
    const before = this.#trouble;
    this.#trouble = isTrouble ? error : undefined;
    if (this.#trouble?.fault !== before?.fault) this.#troubled?.(this.#trouble);
  }

  /** Finishes the waiting transactions and closes the adapter. */
  async close(): Promise<void> {
    await this.#committer.close();
    await this.#adapter.close();
  }
}
