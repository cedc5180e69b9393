import type { CommitBatch, DocumentRef, Effect, IndexEntry, StorageAdapter } from './adapter.ts';
import type { Collection } from './declarations.ts';
import type { SharedValues } from './shared-values.ts';
import { checkRule, type Validate } from './values.ts';

/** A document on its way into the store. A shared value is checked, indexed and made text when the batch is made, once. */
export interface Put extends DocumentRef {
  readonly kind: 'put';
  readonly of: Collection<any>;
  readonly content: { readonly text: string } | { readonly shared: unknown };
  /** Of a value that is not shared. */
  readonly entries: readonly IndexEntry[];
  readonly expires: number | undefined;
}

type DeleteEffect = Extract<Effect, { kind: 'delete' }>;

/** Everything one transaction wants to change. */
export interface Writes {
  readonly documents: Map<string, Put | DeleteEffect>;
  readonly appends: Effect[];
  readonly sums: Map<string, bigint>;
  readonly trims: Effect[];
}

export function noWrites(): Writes {
  return { documents: new Map(), appends: [], sums: new Map(), trims: [] };
}

interface Seen {
  readonly ref: DocumentRef;
  readonly version: number;
  readonly text: string | undefined;
}

/**
 * The documents a round has read, and over them what its transactions have written so far. `beneath` is the overlay of
 * the commit on its way: what that one writes is taken from there, as if it had arrived.
 */
export class Overlay {
  readonly #adapter: StorageAdapter;
  readonly #values: SharedValues;
  readonly #seen = new Map<string, Seen>();
  readonly #writes = noWrites();
  #beneath: Overlay | undefined;
  /** What was looked at of what lies beneath. */
  readonly #leanedOn = new Map<string, Put | DeleteEffect>();
  #reads = 0;

  constructor(adapter: StorageAdapter, values: SharedValues, beneath?: Overlay) {
    this.#adapter = adapter;
    this.#values = values;
    this.#beneath = beneath;
  }

  /** Reads what has not been read; by name, so that a document asked for twice is read once. */
  async load(refs: ReadonlyMap<string, DocumentRef>): Promise<void> {
    const asked = [...refs].filter(([name]) => !this.#seen.has(name) && !this.#leansOn(name));
    if (asked.length === 0) return;
    this.#reads++;
    const rows = await this.#adapter.read(asked.map(([, ref]) => ref));
    for (const [i, [name, ref]] of asked.entries()) {
      this.#seen.set(name, { ref, version: rows[i]?.version ?? 0, text: rows[i]?.value });
    }
  }

  has(name: string): boolean {
    return this.#seen.has(name) || this.#writes.documents.has(name) || this.#leansOn(name);
  }

  /** What the transactions so far have made of a document; undefined when they left it alone. */
  written(name: string): Put | DeleteEffect | undefined {
    return this.#writes.documents.get(name);
  }

  /** A document as the transactions before left it. */
  value(name: string, of: Collection<any>): any {
    const written = this.#writes.documents.get(name) ?? this.#leanedOn.get(name);
    if (written) return contentOf(written);
    const seen = this.#seen.get(name);
    if (seen?.text === undefined) return undefined;
    const { ref, text } = seen;
    return of.shared ? this.#values.of(ref.collection, ref.id, text) : JSON.parse(text);
  }

  take(writes: Writes): void {
    for (const [name, effect] of writes.documents) this.#writes.documents.set(name, effect);
    for (const append of writes.appends) this.#writes.appends.push(append);
    for (const [name, amount] of writes.sums) this.#writes.sums.set(name, (this.#writes.sums.get(name) ?? 0n) + amount);
    for (const trim of writes.trims) this.#writes.trims.push(trim);
  }

  /**
   * What to commit, when the commit beneath has given its documents this version; undefined when nothing changes and
   * everything was read in one moment. Throws InvalidValue when a shared value, as it was put last, may not be stored.
   */
  batch(validate: Validate, version: number): CommitBatch | undefined {
    this.#beneath = undefined;
    const { documents, appends, sums, trims } = this.#writes;
    const effects: Effect[] = [];
    for (const write of documents.values()) effects.push(write.kind === 'put' ? this.#effect(write, validate) : write);
    for (const append of appends) effects.push(append);
    for (const [counter, amount] of sums) effects.push({ kind: 'add', counter, amount });
    for (const trim of trims) effects.push(trim);
    const moments = this.#reads + Math.min(1, this.#leanedOn.size);
    return effects.length === 0 && moments < 2 ? undefined : { checks: this.#checks(version), effects };
  }

  #checks(versionBeneath: number): CommitBatch['checks'] {
    const checks: CommitBatch['checks'][number][] = [];
    for (const { ref, version } of this.#seen.values()) {
      checks.push({ collection: ref.collection, id: ref.id, version });
    }
    for (const { kind, collection, id } of this.#leanedOn.values()) {
      checks.push({ collection, id, version: kind === 'put' ? versionBeneath : 0 });
    }
    return checks;
  }

  #leansOn(name: string): boolean {
    const write = this.#beneath?.written(name);
    if (write) this.#leanedOn.set(name, write);
    return write !== undefined;
  }

  #effect({ of, collection, id, content, entries, expires }: Put, validate: Validate): Effect {
    const life = expires === undefined ? {} : { expires };
    if ('text' in content) return { kind: 'put', collection, id, value: content.text, entries, ...life };
    const { shared } = content;
    checkRule(shared, of.rule, validate, of.name);
    const value = JSON.stringify(shared);
    this.#values.renew(collection, id, value, shared);
    return { kind: 'put', collection, id, value, entries: of.entriesOf(shared), ...life };
  }
}

/** What a transaction sees of what was written before it. */
export function contentOf(write: Put | DeleteEffect): any {
  if (write.kind === 'delete') return undefined;
  return 'text' in write.content ? JSON.parse(write.content.text) : write.content.shared;
}

export function nameOf({ collection, id }: DocumentRef): string {
  return `${collection}\0${id}`;
}
