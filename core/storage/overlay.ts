import type { CommitBatch, Effect, StorageAdapter } from './adapter.ts';
import type { Ref } from './declarations.ts';
import { collectionName } from './locate.ts';
import type { SharedValues } from './shared-values.ts';
import { contentOf, type Put, Slot } from './slot.ts';
import { checkRule, type Validate } from './values.ts';

type AppendEffect = Extract<Effect, { kind: 'append' }>;
type AddEffect = Extract<Effect, { kind: 'add' }>;
type TrimEffect = Extract<Effect, { kind: 'trim' }>;

/** Everything one transaction wants to change. */
export interface Writes {
  /** Documents, as their `draft` says. */
  readonly documents: Slot[];
  readonly appends: AppendEffect[];
  readonly sums: AddEffect[];
  readonly trims: TrimEffect[];
}

/**
 * The documents a batch has read, and over them the writes of its transactions so far. `beneath` is the overlay of
 * the commit on its way: its writes are read from there, as if they had arrived.
 */
export class Overlay {
  readonly #adapter: StorageAdapter;
  readonly #values: SharedValues;
  readonly #slots = new Map<string, Map<string, Slot>>();
  readonly #seen: Slot[] = [];
  readonly #written: Slot[] = [];
  readonly #appends: AppendEffect[] = [];
  readonly #sums = new Map<string, bigint>();
  readonly #trims: TrimEffect[] = [];
  #beneath: Overlay | undefined;
  /** Documents that this batch took from the overlay beneath. */
  readonly #leanedOn: Slot[] = [];
  #reads = 0;

  constructor(adapter: StorageAdapter, values: SharedValues, beneath?: Overlay) {
    this.#adapter = adapter;
    this.#values = values;
    this.#beneath = beneath;
  }

  slot(space: string, { of, id, once = false }: Ref<any>): Slot {
    const collection = collectionName(space, of);
    let slots = this.#slots.get(collection);
    if (!slots) {
      slots = new Map();
      this.#slots.set(collection, slots);
    }
    let slot = slots.get(id);
    if (!slot) {
      slot = new Slot(collection, id, this.#beneath?.written(collection, id), once);
      slots.set(id, slot);
    }
    if (!once) slot.once = false;
    return slot;
  }

  /** Reads what has not been read; a document asked for twice is read once. */
  async load(slots: readonly Slot[]): Promise<void> {
    const asked: Slot[] = [];
    for (const slot of slots) {
      if (slot.isAsked || this.#leansOn(slot)) continue;
      slot.isAsked = true;
      asked.push(slot);
    }
    if (asked.length === 0) return;
    this.#reads++;
    const rows = await this.#adapter.read(asked);
    for (let i = 0; i < asked.length; i++) {
      const slot = asked[i]!;
      const row = rows[i];
      slot.isSeen = true;
      slot.version = row?.version ?? 0;
      slot.text = row?.value;
      this.#seen.push(slot);
    }
  }

  has(slot: Slot): boolean {
    return slot.isSeen || slot.written !== undefined || this.#leansOn(slot);
  }

  /** The write of a document by the transactions so far; undefined when they left it alone. */
  written(collection: string, id: string): Slot['written'] {
    return this.#slots.get(collection)?.get(id)?.written;
  }

  /** A document as the transactions before left it. */
  value(slot: Slot, ref: Ref<any>): any {
    const written = slot.written ?? (slot.isLeanedOn ? slot.beneath : undefined);
    if (written) return contentOf(written);
    return slot.text === undefined ? undefined : this.#values.document(ref, slot.collection, slot.text);
  }

  take({ documents, appends, sums, trims }: Writes): void {
    for (const slot of documents) {
      if (!slot.written) this.#written.push(slot);
      slot.written = slot.draft!.write;
      slot.draft = undefined;
    }
    for (const append of appends) this.#appends.push(append);
    for (const { counter, amount } of sums) this.#sums.set(counter, (this.#sums.get(counter) ?? 0n) + amount);
    for (const trim of trims) this.#trims.push(trim);
  }

  /**
   * The batch to commit, once the commit beneath has given its documents this version. Undefined when nothing changes
   * and everything was read in one moment. Throws InvalidValue when the last value put of a shared document may not
   * be stored.
   */
  batch(validate: Validate, version: number): CommitBatch | undefined {
    this.#beneath = undefined;
    const effects: Effect[] = [];
    for (const slot of this.#written) effects.push(this.#effect(slot, validate));
    for (const append of this.#appends) effects.push(append);
    for (const [counter, amount] of this.#sums) effects.push({ kind: 'add', counter, amount });
    for (const trim of this.#trims) effects.push(trim);
    const moments = this.#reads + Math.min(1, this.#leanedOn.length);
    return effects.length === 0 && moments < 2 ? undefined : { checks: this.#checks(version), effects };
  }

  #checks(versionBeneath: number): CommitBatch['checks'] {
    const checks: CommitBatch['checks'][number][] = [];
    for (const { collection, id, version } of this.#seen) checks.push({ collection, id, version });
    for (const { collection, id, beneath } of this.#leanedOn) {
      checks.push({ collection, id, version: beneath!.kind === 'put' ? versionBeneath : 0 });
    }
    return checks;
  }

  #leansOn(slot: Slot): boolean {
    if (slot.isLeanedOn || !slot.beneath) return slot.isLeanedOn;
    slot.isLeanedOn = true;
    this.#leanedOn.push(slot);
    return true;
  }

  #effect({ collection, id, written }: Slot, validate: Validate): Effect {
    if (written!.kind === 'delete') return { kind: 'delete', collection, id };
    const { of, text, shared, entries, expires, lives } = written as Put;
    const life = expires === undefined || lives === undefined ? {} : { expires, lives };
    if (text !== undefined) return { kind: 'put', collection, id, value: text, entries, ...life };
    checkRule(shared, of.rule, validate, of.name);
    const value = JSON.stringify(of.form ? of.form.pack(shared, id) : shared);
    this.#values.renew(collection, id, value, shared);
    return { kind: 'put', collection, id, value, entries: of.entriesOf(shared), ...life };
  }
}
