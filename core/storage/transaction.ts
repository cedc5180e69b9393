import type { IndexEntry } from './adapter.ts';
import type { Counter, CounterRef, Log, QueueRef, Ranking, Ref } from './declarations.ts';
import { counterName, logName } from './locate.ts';
import type { Overlay, Writes } from './overlay.ts';
import * as queues from './queues.ts';
import { contentOf, DELETED, type DocumentWrite, type Slot } from './slot.ts';
import { encodeValue, freezeValue, type Validate } from './values.ts';

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
  append<T>(log: Log<T>, record: T): void;
  /** Forgets records up to and including this id. */
  trim(log: Log<any>, upTo: number): void;
  /** Sets a member's score; null takes it out. */
  rank(ranking: Ranking, member: string, score: number | null): void;
  add(counter: Counter | CounterRef, amount: bigint | number): void;
  /** Puts an item at the end. False when the queue is full and rejects. */
  push<T>(queue: QueueRef<T>, item: T): boolean;
  /** Takes everything out, or the oldest `limit` items, leased or not. */
  drain<T>(queue: QueueRef<T>, limit?: number): T[];
  /** Lends the oldest items out under a token until `ms` have passed; nothing while another lease is live. */
  lease<T>(queue: QueueRef<T>, token: string, ms: number, limit?: number): T[];
  /**
   * Takes out the items lent under this token, late or not; false when they were lent again, drained or dropped
   * since.
   */
  ack(queue: QueueRef<any>, token: string): boolean;
}

const NO_ENTRIES: readonly IndexEntry[] = [];

/** Thrown through the transaction's function to have more documents read; the function then runs again. */
export class MoreReads extends Error {
  override name = 'MoreReads';
}

export class Draft implements Tx {
  readonly now: number;
  readonly writes: Writes = { documents: [], appends: [], sums: [], trims: [] };
  /** The documents that have to be read before this run can go on. */
  missing: readonly Slot[] = [];
  bytes = 0;
  readonly #space: string;
  readonly #overlay: Overlay;
  readonly #declared: readonly Slot[];
  readonly #validate: Validate;
  #closed = false;

  constructor(space: string, overlay: Overlay, declared: readonly Slot[], validate: Validate, now: number) {
    this.#space = space;
    this.#overlay = overlay;
    this.#declared = declared;
    this.#validate = validate;
    this.now = now;
  }

  get<T>(ref: Ref<T>): T | undefined {
    const slot = this.#overlay.slot(this.#space, ref);
    if (!this.#declared.includes(slot) && !this.#wrote(slot)) {
      throw new Error(`a transaction read ${ref.of.name} ${JSON.stringify(ref.id)} without declaring it`);
    }
    return this.#value(slot, ref);
  }

  pull<T>(refs: readonly Ref<T>[]): (T | undefined)[] {
    const slots = refs.map((ref) => this.#overlay.slot(this.#space, ref));
    const isKnown = (slot: Slot) => this.#wrote(slot) !== undefined || this.#overlay.has(slot);
    if (slots.every(isKnown)) return slots.map((slot, i) => this.#value(slot, refs[i]!));
    this.missing = slots.filter((slot) => !isKnown(slot));
    throw new MoreReads();
  }

  put<T>(ref: Ref<T>, value: T, { ttl = ref.of.ttl }: { readonly ttl?: number | undefined } = {}): void {
    const { of, id } = ref;
    const expires = ttl === undefined ? undefined : this.now + ttl;
    if (of.shared) {
      this.#write(id.length + freezeValue(value, of.name));
      this.#put(ref, { kind: 'put', of, text: undefined, shared: value, entries: NO_ENTRIES, expires });
      return;
    }
    const text = encodeValue(value, of.rule, this.#validate, of.name);
    const entries = of.entriesOf(value);
    this.#write(id.length + text.length + entries.reduce((sum, { key }) => sum + key.length, 0));
    this.#put(ref, { kind: 'put', of, text, shared: undefined, entries, expires });
  }

  del(ref: Ref<any>): void {
    this.#write(ref.id.length);
    this.#put(ref, DELETED);
  }

  append<T>(log: Log<T>, record: T): void {
    const value = encodeValue(record, log.rule, this.#validate, log.name);
    const postings = log.postingsOf(record);
    this.#write(value.length + postings.join().length);
    this.writes.appends.push({ kind: 'append', log: logName(this.#space, log), value, postings });
  }

  trim(log: Log<any>, upTo: number): void {
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

  lease<T>(queue: QueueRef<T>, token: string, ms: number, limit?: number): T[] {
    return queues.lease(this, queue, token, ms, limit);
  }

  ack(queue: QueueRef<any>, token: string): boolean {
    return queues.ack(this, queue, token);
  }

  close(): void {
    this.#closed = true;
  }

  #write(bytes: number): void {
    if (this.#closed) throw new Error('a transaction was used after its function had returned');
    this.bytes += bytes + 64;
  }

  #put(ref: Ref<any>, write: DocumentWrite): void {
    const slot = this.#overlay.slot(this.#space, ref);
    if (!this.#wrote(slot)) this.writes.documents.push(slot);
    slot.draft = { by: this, write };
  }

  #wrote(slot: Slot): DocumentWrite | undefined {
    return slot.draft?.by === this ? slot.draft.write : undefined;
  }

  #value(slot: Slot, { of }: Ref<any>): any {
    const written = this.#wrote(slot);
    return written ? contentOf(written) : this.#overlay.value(slot, of);
  }
}
