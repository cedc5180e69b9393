import type { IndexEntry } from './adapter.ts';
import type { AppendLog, Collection, Counter, CounterRef, QueueRef, Ranking, Ref } from './declarations.ts';
import { counterName, logName } from './locate.ts';
import type { Overlay, Writes } from './overlay.ts';
import * as queues from './queues.ts';
import { contentOf, DELETED, type DocumentWrite, type Slot } from './slot.ts';
import { checkRule, encodeValue, freezeValue, type Validate } from './values.ts';

/** The reads and writes that a transaction's function can make, only while it runs. */
export interface Tx {
  /** The moment of this run, Unix milliseconds. */
  readonly now: number;
  /** The document as this transaction sees it. Throws when the reference was not declared among the reads. */
  get<T>(ref: Ref<T>): T | undefined;
  /**
   * The same for documents that were not declared, because they are rarely needed or only now known: the store reads
   * those that it has not read yet, and the function runs again from its beginning.
   */
  pull<T>(refs: readonly Ref<T>[]): (T | undefined)[];
  /** Writes a document, whether or not it was read. `ttl` overrides the collection's. */
  put<T>(ref: Ref<T>, value: T, options?: { readonly ttl?: number }): void;
  del(ref: Ref<any>): void;
  /** The ids given are in the transaction's result, in the order of the appends. */
  append<T>(log: AppendLog<T>, record: T): void;
  /** Forgets records up to and including this id. */
  trim(log: AppendLog<any>, upTo: number): void;
  /** Sets a member's score; null takes it out. */
  rank(ranking: Ranking, member: string, score: number | null): void;
  add(counter: Counter | CounterRef, amount: bigint | number): void;
  /** Puts an item at the end. False when the queue is full and rejects. */
  push<T>(queue: QueueRef<T>, item: T): boolean;
  /** Takes everything out, or the oldest `limit` items, reserved or not. */
  drain<T>(queue: QueueRef<T>, limit?: number): T[];
  /** Reserves the oldest items under a token until `ms` have passed; nothing while another reservation is live. */
  reserve<T>(queue: QueueRef<T>, token: string, ms: number, limit?: number): T[];
  /**
   * Takes out the items reserved under this token, late or not; false when they were reserved again, drained or dropped
   * since.
   */
  ack(queue: QueueRef<any>, token: string): boolean;
}

const NO_ENTRIES: readonly IndexEntry[] = [];

/** Thrown through the transaction's function to have more documents read; the function then runs again. */
export class MoreReads extends Error {
  override name = 'MoreReads';
}

/** The most that a guest of a transaction may do in it. */
export interface GuestBounds {
  /** Bytes that it writes. */
  readonly bytes: number;
  /** Rounds of `pull` of the whole transaction; a guest that asks for one more has failed. */
  readonly pulls: number;
}

/** The other spaces of a transaction. */
export interface OtherSpaces {
  /**
   * Runs a guest's function over its own space. What it throws is thrown here, and it has then written nothing; the transaction goes on.
   */
  guest<R>(space: string, bounds: GuestBounds, run: (tx: Tx) => R): R;
}

/** All that the parts of one run of a transaction share. */
export interface Run {
  readonly overlay: Overlay;
  readonly declared: readonly Slot[];
  readonly validate: Validate;
  readonly now: number;
  /** How often the function ran before and asked for more. */
  readonly pulls: number;
}

/** Room that guests leave in a transaction. */
const GUESTS_LEAVE = 1024 * 1024;
export const MAX_TX_BYTES = 4 * 1024 * 1024;

interface Written {
  readonly writes: Writes;
  missing: readonly Slot[];
  bytes: number;
  closed: boolean;
  /** While a guest runs: the writes of documents that it replaced. */
  undo: (() => void)[] | undefined;
}

export class Draft implements Tx, OtherSpaces {
  readonly now: number;
  readonly #space: string;
  readonly #run: Run;
  readonly #overlay: Overlay;
  readonly #work: Written;
  #ended = false;

  constructor(
    space: string,
    run: Run,
    work: Written = { writes: noWrites(), missing: [], bytes: 0, closed: false, undo: undefined },
  ) {
    this.#space = space;
    this.#run = run;
    this.#overlay = run.overlay;
    this.#work = work;
    this.now = run.now;
  }

  get writes(): Writes {
    return this.#work.writes;
  }

  /** The documents that have to be read before this run can go on. */
  get missing(): readonly Slot[] {
    return this.#work.missing;
  }

  get bytes(): number {
    return this.#work.bytes;
  }

  guest<R>(space: string, bounds: GuestBounds, run: (tx: Tx) => R): R {
    const work = this.#work;
    this.#check();
    if (work.undo) throw new Error('a guest of a transaction has no guests');
    const { appends, sums, trims } = work.writes;
    const lengths = [appends, sums, trims].map(({ length }) => length);
    const before = work.bytes;
    const undo: (() => void)[] = [];
    const draft = new Draft(space, this.#run, work);
    work.undo = undo;
    try {
      const result = run(draft);
      if (work.missing.length > 0) throw new MoreReads();
      const most = Math.min(bounds.bytes, MAX_TX_BYTES - GUESTS_LEAVE - before);
      if (work.bytes - before > most) throw new RangeError(`it writes more than ${bounds.bytes} bytes`);
      return result;
    } catch (error) {
      if (work.missing.length > 0 && this.#run.pulls < bounds.pulls) throw new MoreReads();
      const reads = work.missing.length > 0;
      work.missing = [];
      for (const back of undo.reverse()) back();
      for (const [index, list] of [appends, sums, trims].entries()) list.length = lengths[index]!;
      work.bytes = before;
      throw reads ? new RangeError(`it asks for more documents more than ${bounds.pulls} times`) : error;
    } finally {
      work.undo = undefined;
      draft.#ended = true;
    }
  }

  get<T>(ref: Ref<T>): T | undefined {
    const slot = this.#overlay.slot(this.#space, ref);
    if (!this.#run.declared.includes(slot) && !this.#wrote(slot)) {
      throw new Error(`a transaction read ${ref.of.name} ${JSON.stringify(ref.id)} without declaring it`);
    }
    return this.#value(slot, ref);
  }

  pull<T>(refs: readonly Ref<T>[]): (T | undefined)[] {
    const slots = refs.map((ref) => this.#overlay.slot(this.#space, ref));
    const isKnown = (slot: Slot) => this.#wrote(slot) !== undefined || this.#overlay.has(slot);
    if (slots.every(isKnown)) return slots.map((slot, i) => this.#value(slot, refs[i]!));
    this.#check();
    this.#work.missing = slots.filter((slot) => !isKnown(slot));
    throw new MoreReads();
  }

  put<T>(ref: Ref<T>, value: T, { ttl = ref.of.ttl }: { readonly ttl?: number | undefined } = {}): void {
    const { of, id } = ref;
    const expires = ttl === undefined ? undefined : this.now + ttl;
    if (of.shared) {
      this.#write(id.length + freezeValue(value, of.name));
      if (this.#work.undo) this.#checkShared(value, of);
      this.#put(ref, { kind: 'put', of, text: undefined, shared: value, entries: NO_ENTRIES, expires, lives: ttl });
      return;
    }
    const text = encodeValue(value, of.rule, this.#run.validate, of.name);
    const entries = of.entriesOf(value);
    this.#write(id.length + text.length + entries.reduce((sum, { key }) => sum + key.length, 0));
    this.#put(ref, { kind: 'put', of, text, shared: undefined, entries, expires, lives: ttl });
  }

  del(ref: Ref<any>): void {
    this.#write(ref.id.length);
    this.#put(ref, DELETED);
  }

  append<T>(log: AppendLog<T>, record: T): void {
    const value = encodeValue(record, log.rule, this.#run.validate, log.name);
    const postings = log.postingsOf(record);
    this.#write(value.length + postings.join().length);
    this.writes.appends.push({ kind: 'append', log: logName(this.#space, log), value, postings });
  }

  trim(log: AppendLog<any>, upTo: number): void {
    this.#write(0);
    this.writes.trims.push({ kind: 'trim', log: logName(this.#space, log), upTo });
  }

  rank(ranking: Ranking, member: string, score: number | null): void {
    const ref = ranking.ref(member);
    if (score === null) this.del(ref);
    else this.put(ref, score);
  }

  add(counter: Counter | CounterRef, amount: bigint | number): void {
    this.#write(0);
    const name = counterName(this.#space, 'of' in counter ? counter : counter.ref());
    this.writes.sums.push({ kind: 'add', counter: name, amount: BigInt(amount) });
  }

  push<T>(queue: QueueRef<T>, item: T): boolean {
    return queues.push(this, queue, item);
  }

  drain<T>(queue: QueueRef<T>, limit?: number): T[] {
    return queues.drain(this, queue, limit);
  }

  reserve<T>(queue: QueueRef<T>, token: string, ms: number, limit?: number): T[] {
    return queues.reserve(this, queue, token, ms, limit);
  }

  ack(queue: QueueRef<any>, token: string): boolean {
    return queues.ack(this, queue, token);
  }

  close(): void {
    this.#work.closed = true;
  }

  /** A value of a guest is checked at once: later it would be a fault of the whole batch. */
  #checkShared(value: unknown, of: Collection<any>): void {
    checkRule(value, of.rule, this.#run.validate, of.name);
    of.entriesOf(value);
  }

  #check(): void {
    if (this.#work.closed || this.#ended) throw new Error('a transaction was used after its function had returned');
  }

  #write(bytes: number): void {
    this.#check();
    this.#work.bytes += bytes + 64;
  }

  #put(ref: Ref<any>, write: DocumentWrite): void {
    const slot = this.#overlay.slot(this.#space, ref);
    const { writes, undo } = this.#work;
    const { draft } = slot;
    const isNew = !this.#wrote(slot);
    undo?.push(() => {
      slot.draft = draft;
      if (isNew) writes.documents.pop();
    });
    if (isNew) writes.documents.push(slot);
    slot.draft = { by: this.#work, write };
  }

  #wrote(slot: Slot): DocumentWrite | undefined {
    return slot.draft?.by === this.#work ? slot.draft.write : undefined;
  }

  #value(slot: Slot, ref: Ref<any>): any {
    const written = this.#wrote(slot);
    return written ? contentOf(written) : this.#overlay.value(slot, ref);
  }
}

function noWrites(): Writes {
  return { documents: [], appends: [], sums: [], trims: [] };
}
