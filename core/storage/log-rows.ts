import type { PageQuery } from './adapter.ts';

/** A record still held in memory. */
export interface HotRecord {
  readonly value: string;
  readonly postings: readonly string[];
}

/**
 * One log in memory: its newest records, and which records carry which posting. Older records may have been moved
 * elsewhere by the adapter; their ids and postings stay here.
 */
export class LogRows {
  /** The id the next record gets. */
  next = 1;
  /** Records up to and including this id are forgotten. */
  trimmed = 0;
  #hot: HotRecord[] = [];
  #hotFirst = 1;
  readonly #postings = new Map<string, number[]>();
  #sweptAt = 0;

  /** The first id still in memory; `next` when there is none. */
  get hotFirst(): number {
    return this.#hotFirst;
  }

  /** Whether there is a record above this id that has not been trimmed. */
  holdsAbove(id: number): boolean {
    return this.next - 1 > Math.max(id, this.trimmed);
  }

  append(id: number, record: HotRecord): void {
    if (id < this.next) return;
    this.#hot.push(record);
    this.next = id + 1;
    this.index(id, record.postings);
  }

  /** Notes the postings of a record that is kept elsewhere; ids must rise. */
  index(id: number, postings: readonly string[]): void {
    for (const posting of postings) {
      const ids = this.#postings.get(posting);
      if (!ids) this.#postings.set(posting, [id]);
      else if (ids.at(-1) !== id) ids.push(id);
    }
  }

  /** The same for many records of one posting. */
  indexAll(posting: string, ids: readonly number[]): void {
    const known = this.#postings.get(posting);
    if (!known) this.#postings.set(posting, [...ids]);
    else for (const id of ids) known.push(id);
  }

  /** Begins behind records that are kept elsewhere. */
  startAt(next: number): void {
    this.next = next;
    this.#hotFirst = next;
    this.#hot = [];
  }

  hot(id: number): HotRecord | undefined {
    return this.#hot[id - this.#hotFirst];
  }

  /** Drops the records below `id` from memory; their ids and postings stay. */
  cool(id: number): void {
    if (id <= this.#hotFirst) return;
    this.#hot = this.#hot.slice(id - this.#hotFirst);
    this.#hotFirst = Math.min(id, this.next);
  }

  trim(upTo: number): void {
    this.trimmed = Math.max(this.trimmed, Math.min(upTo, this.next - 1));
    this.cool(this.trimmed + 1);
    const live = this.next - this.trimmed;
    if (this.trimmed - this.#sweptAt > Math.max(1_000, live / 2)) this.#sweep();
  }

  /** The ids of a page, in its order. */
  select({ posting, before, after, limit }: PageQuery): number[] {
    const ascending = before === undefined && after !== undefined;
    if (posting === undefined) {
      const low = Math.max(this.trimmed, after ?? 0) + 1;
      const high = Math.min(this.next, before ?? this.next) - 1;
      const count = Math.max(0, Math.min(limit, high - low + 1));
      return Array.from({ length: count }, (_, i) => (ascending ? low + i : high - i));
    }
    const ids = this.#postings.get(posting) ?? [];
    const low = countUpTo(ids, Math.max(this.trimmed, after ?? 0));
    const high = before === undefined ? ids.length : countUpTo(ids, before - 1);
    if (low >= high) return [];
    return ascending
      ? ids.slice(low, Math.min(high, low + limit))
      : ids.slice(Math.max(low, high - limit), high).reverse();
  }

  /** Postings of trimmed records are taken out now and then, at a cost spread over the records trimmed. */
  #sweep(): void {
    this.#sweptAt = this.trimmed;
    for (const [posting, ids] of this.#postings) {
      const gone = countUpTo(ids, this.trimmed);
      if (gone === ids.length) this.#postings.delete(posting);
      else if (gone > 0) this.#postings.set(posting, ids.slice(gone));
    }
  }
}

function countUpTo(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! <= id) low = middle + 1;
    else high = middle;
  }
  return low;
}
