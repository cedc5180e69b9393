import type { PageQuery } from '../../core/storage/adapter.ts';

export interface TailRecord {
  readonly value: string;
  readonly postings: readonly string[];
}

/** Ids that were never given: from the first, up to and not including the second. */
export type Gap = readonly [from: number, to: number];

/**
 * One log's ids, and its newest records. Older records are in segments, their postings in layers. Ids leave a gap only
 * where a store that came from elsewhere brought one.
 */
export class LogTail {
  /** The id the next record gets. */
  next: number;
  /** Records up to and including this id are forgotten. */
  trimmed = 0;
  readonly gaps: Gap[] = [];
  #records: TailRecord[] = [];
  /** The id of the first record in memory; `next` when there is none. */
  #first: number;

  constructor(next = 1) {
    this.next = next;
    this.#first = next;
    if (next > 1) this.gaps.push([1, next]);
  }

  /** Begins behind records that are in segments. */
  static behind(next: number, trimmed: number, gaps: readonly Gap[]): LogTail {
    const tail = new LogTail();
    tail.next = next;
    tail.#first = next;
    tail.trimmed = trimmed;
    tail.gaps.push(...gaps);
    return tail;
  }

  holdsAbove(id: number): boolean {
    return this.below(this.next - 1) > Math.max(id, this.trimmed);
  }

  append(id: number, record: TailRecord): void {
    if (id < this.next) return;
    this.#records.push(record);
    this.next = id + 1;
  }

  /** Leaves the ids below this one out. */
  skip(next: number): void {
    if (next <= this.next) return;
    if (this.#records.length === 0) this.#first = next;
    this.gaps.push([this.next, next]);
    this.next = next;
  }

  record(id: number): TailRecord | undefined {
    return id < this.#first ? undefined : this.#records[this.#place(id)];
  }

  /** Drops the records below `id` from memory. */
  cool(id: number): void {
    if (id <= this.#first) return;
    this.#records = this.#records.slice(this.#place(id));
    this.#first = Math.min(this.above(id), this.next);
  }

  trim(upTo: number): void {
    this.trimmed = Math.max(this.trimmed, Math.min(upTo, this.next - 1));
    this.cool(this.trimmed + 1);
  }

  /** The ids of a page of the whole log, in its order. */
  select({ before, after, limit }: Omit<PageQuery, 'log' | 'posting'>): number[] {
    const low = Math.max(this.trimmed, after ?? 0) + 1;
    const high = Math.min(this.next, before ?? this.next) - 1;
    const ids: number[] = [];
    if (before === undefined && after !== undefined) {
      for (let id = this.above(low); id <= high && ids.length < limit; id = this.above(id + 1)) ids.push(id);
    } else {
      for (let id = this.below(high); id >= low && ids.length < limit; id = this.below(id - 1)) ids.push(id);
    }
    return ids;
  }

  /** This id, or the next one that is in no gap. */
  above(id: number): number {
    const gap = this.#gapAt(id);
    return gap ? gap[1] : id;
  }

  /** This id, or the last one below it that is in no gap. */
  below(id: number): number {
    const gap = this.#gapAt(id);
    return gap ? gap[0] - 1 : id;
  }

  /** Where the next gap above an id begins; Infinity when there is none. */
  gapAbove(id: number): number {
    return this.gaps.find(([from]) => from > id)?.[0] ?? Number.POSITIVE_INFINITY;
  }

  #gapAt(id: number): Gap | undefined {
    return this.gaps.find(([from, to]) => from <= id && id < to);
  }

  #place(id: number): number {
    let place = id - this.#first;
    for (const [from, to] of this.gaps) {
      if (from >= this.#first && from < id) place -= Math.min(to, id) - from;
    }
    return place;
  }
}
