import { type DocumentRef, type IndexedRow, MAX_OFFSET, MAX_PAGE, type RangeQuery, type Row } from './adapter.ts';
import type { Change } from './changes.ts';
import { type Expiring, ExpiryHeap, NOWHERE } from './expiry-heap.ts';
import { LogRows } from './log-rows.ts';
import { compareEntries, type Entry, OrderedEntries } from './ordered-entries.ts';
import { SplitMap } from './split-map.ts';

export interface Document extends Row, Expiring {
  readonly collection: string;
  readonly id: string;
  readonly entries: readonly Place[];
}

/** A document's place in one index. */
interface Place extends Entry {
  readonly index: string;
}

interface Table {
  readonly name: string;
  readonly documents: SplitMap<Document>;
  readonly ids: OrderedEntries;
  readonly indexes: Map<string, Index>;
}

interface Index {
  readonly name: string;
  readonly entries: OrderedEntries;
}

const NO_PLACES: readonly Place[] = [];
/** Documents looked up at once on a way through all of them. */
const STRIDE = 512;

/**
 * Everything a store holds, in memory and in order. The memory adapter consists of it, and file adapters read from
 * it. It changes only through `apply`, so it shows exactly what its adapter has made durable.
 */
export class Rows {
  readonly tables = new Map<string, Table>();
  readonly logs = new Map<string, LogRows>();
  readonly totals = new Map<string, bigint>();
  /** The number of the last commit. */
  commits = 0;
  readonly #now: () => number;
  readonly #expiry = new ExpiryHeap<Document>();

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
    const entries = query.index === undefined ? table?.ids : table?.indexes.get(query.index)?.entries;
    if (!table || !entries) return [];
    return entries.slice(query).map(({ key, id }) => {
      const { value, version } = table.documents.get(id)!;
      return { id, key, value, version };
    });
  }

  rank(collection: string, index: string, key: string, id: string): number | undefined {
    this.expire();
    return this.tables.get(collection)?.indexes.get(index)?.entries.rank({ key, id });
  }

  count(collection: string, index?: string): number {
    this.expire();
    const table = this.tables.get(collection);
    return (index === undefined ? table?.ids : table?.indexes.get(index)?.entries)?.size ?? 0;
  }

  /**
   * All documents, each collection in the order of its ids. The rows may change between two steps: a document that is
   * there all the time is given once, and new ones cannot keep the iteration from ending.
   */
  *documents(): Generator<Document, void> {
    for (const { documents, ids } of [...this.tables.values()]) {
      const [last] = ids.slice({ reverse: true, limit: 1 });
      for (let after: Entry | undefined; last && (!after || compareEntries(after, last) < 0); ) {
        const stride = ids.slice({ after, limit: STRIDE });
        for (const { id } of stride) {
          const doc = documents.get(id);
          if (doc) yield doc;
        }
        after = stride.at(-1) ?? last;
      }
    }
  }

  log(name: string): LogRows {
    return findOrMake(this.logs, name, () => new LogRows());
  }

  apply(change: Change): void {
    switch (change[0]) {
      case 'put':
        this.#put(change);
        return;
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

  #put([, collection, id, version, value, stored, expires]: Extract<Change, readonly ['put', ...unknown[]]>): void {
    const table = this.#table(collection);
    const entries = stored.length === 0 ? NO_PLACES : stored.map(([index, key]) => placeIn(table, index, key, id));
    const doc: Document = {
      // One text for all documents: names from a file would be a new string each time.
      collection: table.name,
      id,
      version,
      value,
      entries,
      expires: expires ?? Number.POSITIVE_INFINITY,
      place: NOWHERE,
    };
    const before = table.documents.get(id);
    table.documents.set(id, doc);
    if (before) this.#expiry.remove(before);
    else table.ids.add({ key: id, id });
    this.#expiry.add(doc);
    for (const place of before?.entries ?? NO_PLACES) {
      if (!holds(entries, place)) table.indexes.get(place.index)?.entries.delete(place);
    }
    for (const place of entries) {
      if (!before || !holds(before.entries, place)) table.indexes.get(place.index)?.entries.add(place);
    }
  }

  #delete(collection: string, id: string): void {
    const table = this.tables.get(collection);
    const doc = table?.documents.get(id);
    if (!table || !doc) return;
    table.documents.delete(id);
    this.#expiry.remove(doc);
    table.ids.delete({ key: id, id });
    for (const place of doc.entries) table.indexes.get(place.index)?.entries.delete(place);
  }

  #table(name: string): Table {
    return findOrMake(this.tables, name, () => ({
      name,
      documents: new SplitMap(),
      ids: new OrderedEntries(),
      indexes: new Map(),
    }));
  }
}

function placeIn({ indexes }: Table, index: string, key: string, id: string): Place {
  const { name } = findOrMake(indexes, index, () => ({ name: index, entries: new OrderedEntries() }));
  return { key, id, index: name };
}

function holds(entries: readonly Place[], { index, key }: Place): boolean {
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
