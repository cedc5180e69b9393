import {
  type DocumentRef,
  type IndexEntry,
  type IndexedRow,
  MAX_OFFSET,
  MAX_PAGE,
  type RangeQuery,
  type Row,
} from './adapter.ts';
import type { Change } from './changes.ts';
import { ExpiryHeap } from './expiry-heap.ts';
import { LogRows } from './log-rows.ts';
import { OrderedEntries } from './ordered-entries.ts';

export interface Document extends Row {
  readonly collection: string;
  readonly id: string;
  readonly entries: readonly IndexEntry[];
  /** Absolute Unix milliseconds; Infinity when it never expires. */
  readonly expires: number;
}

interface Table {
  readonly documents: Map<string, Document>;
  readonly ids: OrderedEntries;
  readonly indexes: Map<string, OrderedEntries>;
}

/**
 * Everything a store holds, in memory and in order: what the memory adapter is, and what file adapters read from.
 * It changes only through `apply`, so it shows exactly what its adapter has made durable.
 */
export class Rows {
  readonly tables = new Map<string, Table>();
  readonly logs = new Map<string, LogRows>();
  readonly totals = new Map<string, bigint>();
  /** The number of the last commit. */
  commits = 0;
  readonly #now: () => number;
  readonly #expiry = new ExpiryHeap<Document>((doc) => this.tables.get(doc.collection)?.documents.get(doc.id) === doc);

  constructor(now: () => number) {
    this.#now = now;
  }

  document({ collection, id }: DocumentRef): Document | undefined {
    this.expire();
    return this.tables.get(collection)?.documents.get(id);
  }

  range(query: RangeQuery): IndexedRow[] {
    checkPage(query.limit, query.offset);
    this.expire();
    const table = this.tables.get(query.collection);
    const entries = query.index === undefined ? table?.ids : table?.indexes.get(query.index);
    if (!table || !entries) return [];
    return entries.slice(query).map(({ key, id }) => {
      const { value, version } = table.documents.get(id)!;
      return { id, key, value, version };
    });
  }

  rank(collection: string, index: string, key: string, id: string): number | undefined {
    this.expire();
    return this.tables.get(collection)?.indexes.get(index)?.rank({ key, id });
  }

  count(collection: string, index?: string): number {
    this.expire();
    const table = this.tables.get(collection);
    return (index === undefined ? table?.ids : table?.indexes.get(index))?.size ?? 0;
  }

  log(name: string): LogRows {
    return findOrMake(this.logs, name, () => new LogRows());
  }

  apply(change: Change): void {
    switch (change[0]) {
      case 'put': {
        const [, collection, id, version, value, entries, expires] = change;
        const pairs = entries.map(([index, key]) => ({ index, key }));
        this.#put({ collection, id, version, value, entries: pairs, expires: expires ?? Number.POSITIVE_INFINITY });
        return;
      }
      case 'delete':
        this.#delete(change[1], change[2]);
        return;
      case 'append':
        this.log(change[1]).append(change[2], { value: change[3], postings: change[4] });
        return;
      case 'trim':
        this.log(change[1]).trim(change[2]);
        return;
      case 'total':
        this.totals.set(change[1], BigInt(change[2]));
    }
  }

  /** Takes out what has expired; every read does this first, so that counts and ranks are right too. */
  expire(): void {
    const now = this.#now();
    for (let doc = this.#expiry.pop(now); doc; doc = this.#expiry.pop(now)) this.#delete(doc.collection, doc.id);
  }

  #put(doc: Document): void {
    const table = this.#table(doc.collection);
    const before = table.documents.get(doc.id);
    table.documents.set(doc.id, doc);
    if (!before) table.ids.add({ key: doc.id, id: doc.id });
    for (const { index, key } of before?.entries ?? []) {
      if (!holds(doc.entries, index, key)) table.indexes.get(index)?.delete({ key, id: doc.id });
    }
    for (const { index, key } of doc.entries) {
      if (before && holds(before.entries, index, key)) continue;
      findOrMake(table.indexes, index, () => new OrderedEntries()).add({ key, id: doc.id });
    }
    if (doc.expires !== Number.POSITIVE_INFINITY) this.#expiry.push(doc);
  }

  #delete(collection: string, id: string): void {
    const table = this.tables.get(collection);
    const doc = table?.documents.get(id);
    if (!table || !doc) return;
    table.documents.delete(id);
    table.ids.delete({ key: id, id });
    for (const { index, key } of doc.entries) table.indexes.get(index)?.delete({ key, id });
  }

  #table(name: string): Table {
    return findOrMake(this.tables, name, () => ({
      documents: new Map(),
      ids: new OrderedEntries(),
      indexes: new Map(),
    }));
  }
}

function holds(entries: readonly IndexEntry[], index: string, key: string): boolean {
  return entries.some((entry) => entry.index === index && entry.key === key);
}

function findOrMake<T>(map: Map<string, T>, name: string, make: () => T): T {
  let found = map.get(name);
  if (found === undefined) {
    found = make();
    map.set(name, found);
  }
  return found;
}

export function checkPage(limit: number, offset = 0): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new RangeError(`a page has 1 to ${MAX_PAGE} rows, not ${limit}`);
  }
  if (!Number.isInteger(offset) || offset < 0 || offset > MAX_OFFSET) {
    throw new RangeError(`an offset is 0 to ${MAX_OFFSET}, not ${offset}`);
  }
}
