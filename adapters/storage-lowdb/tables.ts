import type { DocumentRef, IndexedRow, PageQuery, RangeQuery, ReadRef } from '../../core/storage/adapter.ts';
import type { Change, StoredEntry } from '../../core/storage/changes.ts';
import { RefMap } from '../../core/storage/ref-map.ts';
import { checkPage } from '../../core/storage/rows.ts';
import { gather } from './layers/block-cache.ts';
import { hashKey, type KeyHash } from './layers/bloom.ts';
import type { Document } from './layers/document.ts';
import { type FoundDocument, HotDocuments } from './layers/hot-documents.ts';
import type { FileLayer } from './layers/layer-file.ts';
import { MemoryLayer } from './layers/memory-layer.ts';
import type { Item, Layer, Run } from './layers/run.ts';
import { behind, fromBytes, idBytes, idFrom, numberFrom, toBytes } from './layers/texts.ts';
import { countBelow, isThere, slice, totalOf } from './layers/view.ts';
import { LogTail } from './log-tail.ts';
import { documentsRun, EXPIRY, entryKey, expiryKey, indexRun, postingsRun, refOf } from './run-names.ts';

const EXPIRY_STEP = 256;
const SAME_DOCUMENTS = 512;

/** A change, or ids that a log leaves out: those from its next one up to, not including, `next`. */
export type StoreChange = Change | readonly ['skip', log: string, next: number];

/** The documents below the active layer, as they were read for a commit. */
export type Beneath = RefMap<Document | undefined>;

/**
 * Everything a store holds, in layers: the newest in memory, the others in files. It changes only through `apply`, so
 * it shows exactly what is durable. A method that reads may throw Missing, having changed nothing.
 */
export class Tables {
  readonly logs = new Map<string, LogTail>();
  readonly totals = new Map<string, bigint>();
  /** The number of the last commit. */
  commits = 0;
  /** No log gives an id up to this one. */
  floor = 0;
  readonly #now: () => number;
  #active = new MemoryLayer();
  /** Below the active one, newest first. */
  #below: readonly (MemoryLayer | FileLayer)[] = [];
  #layers: readonly (MemoryLayer | FileLayer)[] = [this.#active];
  readonly #hot = new HotDocuments();
  /** Nothing expires before this time, and no moment of expiry stands in front of this key. */
  #nextExpiry = Number.NEGATIVE_INFINITY;
  #swept = '';

  constructor(now: () => number) {
    this.#now = now;
  }

  get below(): readonly (MemoryLayer | FileLayer)[] {
    return this.#below;
  }

  /** Puts other layers, which hold the same, below the active one. */
  replaceBelow(layers: readonly (MemoryLayer | FileLayer)[]): void {
    this.#below = layers;
    this.#layers = [this.#active, ...layers];
    this.#hot.clear();
  }

  /** Begins a new active layer; the one before does not change any more. */
  freeze(): void {
    const below = [this.#active, ...this.#below];
    this.#active = new MemoryLayer();
    this.replaceBelow(below);
  }

  document(ref: DocumentRef): FoundDocument | undefined {
    return this.documents([ref])[0];
  }

  documents(refs: readonly ReadRef[]): (FoundDocument | undefined)[] {
    this.expire();
    const now = this.#now();
    return gather(refs, (ref) => {
      const found = this.#find(ref);
      return found && found.expires > now ? found : undefined;
    });
  }

  range({ collection, index, from, to, reverse, after, offset, limit }: RangeQuery): IndexedRow[] {
    checkPage(limit, offset);
    this.expire();
    const runs = this.#runs(index === undefined ? documentsRun(collection) : indexRun(collection, index));
    if (runs.length === 0) return [];
    let low = from === undefined ? '' : toBytes(from);
    let high = to === undefined ? undefined : toBytes(to);
    if (after) {
      const key = index === undefined ? toBytes(after.id) : entryKey(after.key, after.id);
      if (reverse) high = high === undefined || key < high ? key : high;
      else low = low > key ? low : behind(key);
    }
    const found = slice(runs, { from: low, to: high, limit, ...(reverse && { reverse }), ...(offset && { offset }) });
    return gather(found, (item) => this.#row(collection, index, item));
  }

  rank(collection: string, index: string, key: string, id: string): number | undefined {
    this.expire();
    const runs = this.#runs(indexRun(collection, index));
    const entry = entryKey(key, id);
    return isThere(runs, entry) ? countBelow(runs, entry) : undefined;
  }

  count(collection: string, index?: string): number {
    this.expire();
    return totalOf(this.#runs(index === undefined ? documentsRun(collection) : indexRun(collection, index)));
  }

  /** The ids of a page of a posting, in its order. */
  postings(log: LogTail, name: string, posting: string, { before, after, limit }: PageQuery): number[] {
    const prefix = behind(toBytes(posting));
    const low = Math.max(log.trimmed, Math.floor(after ?? 0)) + 1;
    const high = Math.min(log.next, Math.ceil(before ?? log.next));
    if (high <= low) return [];
    const reverse = before !== undefined || after === undefined;
    const window = { from: prefix + idBytes(low), to: prefix + idBytes(high), limit, reverse };
    return slice(this.#runs(postingsRun(name)), window).map(({ key }) => idFrom(key.slice(prefix.length)));
  }

  log(name: string): LogTail {
    let log = this.logs.get(name);
    if (!log) {
      log = new LogTail(this.floor + 1);
      this.logs.set(name, log);
    }
    return log;
  }

  /** Reads the documents that `current` and `apply` need for these. */
  beneath(refs: readonly DocumentRef[]): Beneath {
    const beneath: Beneath = new RefMap();
    const unknown = refs.filter((ref) => {
      if (beneath.has(ref) || this.#active.find(documentsRun(ref.collection), toBytes(ref.id))) return false;
      beneath.set(ref, undefined);
      return true;
    });
    const found = gather(unknown, ({ collection, id }) => find(this.#below, documentsRun(collection), toBytes(id)));
    for (const [i, ref] of unknown.entries()) beneath.set(ref, found[i]);
    return beneath;
  }

  /** A document as it is now, looked for only where nothing has to be read. */
  current(ref: DocumentRef, beneath: Beneath): Document | undefined {
    const known = this.#active.find(documentsRun(ref.collection), toBytes(ref.id));
    const found = known ? known.document : beneath.get(ref);
    return found && found.expires > this.#now() ? found : undefined;
  }

  apply(change: StoreChange, beneath: Beneath): void {
    switch (change[0]) {
      case 'put': {
        const [, collection, id, version, value, entries, expires] = change;
        const document = { version, value, entries: distinct(entries), expires: expires ?? Number.POSITIVE_INFINITY };
        this.#replace({ collection, id }, document, beneath);
        return;
      }
      case 'delete':
        this.#replace({ collection: change[1], id: change[2] }, undefined, beneath);
        return;
      case 'append':
        this.#append(change[1], change[2], change[3], change[4]);
        return;
      case 'skip':
        this.log(change[1]).skip(change[2]);
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
    while (now >= this.#nextExpiry) {
      const runs = this.#runs(EXPIRY);
      const first = slice(runs, { from: this.#swept, limit: EXPIRY_STEP });
      const due = first.filter(({ key }) => numberFrom(key.slice(0, 8)) <= now);
      const refs = due.map(({ key }) => refOf(key));
      const beneath = this.beneath(refs);
      for (const ref of refs) this.#replace(ref, undefined, beneath);
      const next = first[due.length];
      if (next) this.#swept = next.key;
      if (next) this.#nextExpiry = numberFrom(next.key.slice(0, 8));
      else if (first.length < EXPIRY_STEP) this.#nextExpiry = Number.POSITIVE_INFINITY;
      else this.#swept = behind(first.at(-1)!.key);
    }
  }

  /** A step on the way through all documents of a collection, in order, from behind an id. Nothing expires here. */
  step(collection: string, after: string | undefined): { id: string; document: Document }[] {
    const from = after === undefined ? '' : behind(toBytes(after));
    const found = slice(this.#runs(documentsRun(collection)), { from, limit: SAME_DOCUMENTS });
    return found.map(({ key, document }) => ({ id: fromBytes(key), document: document! }));
  }

  collections(): string[] {
    const names = this.#layers.flatMap((layer) => layer.names());
    return [...new Set(names)].filter((name) => name.startsWith('d\0')).map((name) => name.slice(2));
  }

  #find({ collection, id, once }: ReadRef): FoundDocument | undefined {
    const name = documentsRun(collection);
    const key = toBytes(id);
    const known = this.#active.find(name, key);
    if (known) return known.document;
    const hot = this.#hot.get(name, key);
    if (hot) return hot;
    const found = find(this.#below, name, key);
    if (found && !once) this.#hot.keep(name, key, found);
    return found;
  }

  #runs(name: string): Run[] {
    return this.#layers.flatMap((layer) => layer.run(name) ?? []);
  }

  #row(collection: string, index: string | undefined, { key, document }: Item): IndexedRow {
    if (index === undefined) {
      const { value, version } = document!;
      const id = fromBytes(key);
      return { id, key: id, value, version };
    }
    const border = key.indexOf('\0');
    const id = fromBytes(key.slice(border + 1));
    const { value, version } = this.#find({ collection, id })!;
    return { id, key: fromBytes(key.slice(0, border)), value, version };
  }

  #append(name: string, id: number, value: string, postings: readonly string[]): void {
    const log = this.log(name);
    if (id < log.next) return;
    log.append(id, { value, postings });
    this.note(name, id, postings);
  }

  /** Notes the postings of a record, which may be in a file. */
  note(log: string, id: number, postings: readonly string[]): void {
    const run = postingsRun(log);
    const end = behind('') + idBytes(id);
    for (const posting of postings) this.#active.change(run, toBytes(posting) + end, 1);
  }

  #replace(ref: DocumentRef, document: Document | undefined, beneath: Beneath): void {
    const name = documentsRun(ref.collection);
    const key = toBytes(ref.id);
    const known = this.#active.find(name, key);
    const before = known ? known.document : beneath.get(ref);
    if (!document && !before) return;
    this.#active.set(name, key, document, known ? known.isBelow : before !== undefined);
    this.#moveEntries(ref, before?.entries ?? [], document?.entries ?? []);
    const expired = before?.expires ?? Number.POSITIVE_INFINITY;
    const expires = document?.expires ?? Number.POSITIVE_INFINITY;
    if (expired === expires) return;
    if (expired !== Number.POSITIVE_INFINITY) this.#active.change(EXPIRY, expiryKey(expired, ref), -1);
    if (expires === Number.POSITIVE_INFINITY) return;
    const moment = expiryKey(expires, ref);
    this.#active.change(EXPIRY, moment, 1);
    this.#nextExpiry = Math.min(this.#nextExpiry, expires);
    if (moment < this.#swept) this.#swept = moment;
  }

  #moveEntries({ collection, id }: DocumentRef, from: readonly StoredEntry[], to: readonly StoredEntry[]): void {
    for (const [index, key] of from) {
      if (!holds(to, index, key)) this.#active.change(indexRun(collection, index), entryKey(key, id), -1);
    }
    for (const [index, key] of to) {
      if (!holds(from, index, key)) this.#active.change(indexRun(collection, index), entryKey(key, id), 1);
    }
  }
}

function find(layers: readonly Layer[], name: string, key: string): Document | undefined {
  let hash: KeyHash | undefined;
  for (const layer of layers) {
    const run = layer.run(name);
    if (run?.isFiltered) hash ??= hashKey(key);
    const item = run?.find(key, hash);
    if (item) return item.document;
  }
  return undefined;
}

function holds(entries: readonly StoredEntry[], index: string, key: string): boolean {
  return entries.some((entry) => entry[0] === index && entry[1] === key);
}

function distinct(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  if (entries.length < 2) return entries;
  return entries.filter(([index, key], i) => !holds(entries.slice(0, i), index, key));
}
