import type { Clock } from '../platform/clock.ts';
import { StorageError } from './adapter.ts';
import type { QueueRef, Ref } from './declarations.ts';
import type { Overlay } from './overlay.ts';
import type { Slot } from './slot.ts';
import { Draft, MAX_TX_BYTES, type OtherSpaces, type Tx } from './transaction.ts';
import type { Validate } from './values.ts';

export interface TxResult<R> {
  readonly value: R;
  /** The ids of the appended records, in the order of the appends; empty when `replayed`. */
  readonly ids: readonly number[];
  /** An earlier transaction with this operation id had already done it; `value` is its value. */
  readonly replayed: boolean;
}

export type Read = Ref<any> | QueueRef<any>;

/** Documents of another space that a transaction reads. */
export interface Beside {
  readonly space: string;
  readonly reads: readonly Read[];
}

export interface Work {
  readonly space: string;
  readonly reads: readonly Read[];
  readonly beside: readonly Beside[];
  readonly run: (tx: Tx, others: OtherSpaces) => unknown;
  /** Where the result of this operation is remembered. */
  readonly marker: Ref<{ value?: unknown }> | undefined;
}

/** A transaction that somebody waits for. */
export interface Waiting extends Work {
  readonly resolve: (result: TxResult<any>) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

export interface RoundOptions {
  readonly validate: Validate;
  readonly clock: Pick<Clock, 'now'>;
}

type Outcome = { value: unknown; appends: number; replayed: boolean } | { error: unknown };

const MAX_PULLS = 256;

/** Transactions that are run one after the other over one overlay and committed together. */
export class Batch {
  readonly overlay: Overlay;
  readonly works: Waiting[] = [];
  readonly #outcomes: Outcome[] = [];
  /** The declared reads of each transaction. */
  readonly #declared: Slot[][] = [];
  readonly #options: RoundOptions;
  #reading: Promise<void> = Promise.resolve();
  #bytes = 0;
  #full = false;

  constructor(overlay: Overlay, options: RoundOptions) {
    this.overlay = overlay;
    this.#options = options;
  }

  /** Whether a transaction did not fit any more. */
  get isFull(): boolean {
    return this.#full;
  }

  /** Adds transactions and begins to read what they declare. */
  add(works: readonly Waiting[]): void {
    if (works.length === 0) return;
    const declared = works.map((work) => this.#slotsOf(work));
    this.works.push(...works);
    this.#declared.push(...declared);
    const reading = this.overlay.load(declared.flat());
    this.#reading = this.#reading.then(() => reading);
    // Whoever runs it is told.
    this.#reading.catch(() => {});
  }

  /** Runs the added transactions; gives those that did not fit. Rejects when something cannot be read. */
  async run(): Promise<readonly Waiting[]> {
    await this.#reading;
    while (this.#outcomes.length < this.works.length) {
      const { length } = this.#outcomes;
      const { outcome, draft } = await this.#runOne(this.works[length]!, this.#declared[length]!);
      this.#full = this.#bytes > 0 && this.#bytes + draft.bytes > MAX_TX_BYTES;
      if (this.#full) return this.works.splice(length);
      this.#outcomes.push(this.#take(outcome, draft));
    }
    return [];
  }

  /** Gives every caller its result; `ids` are those of all appended records. */
  settle(ids: readonly number[]): void {
    let used = 0;
    for (const [i, { resolve, reject }] of this.works.entries()) {
      const outcome = this.#outcomes[i]!;
      if ('error' in outcome) {
        reject(outcome.error);
        continue;
      }
      const { value, appends, replayed } = outcome;
      resolve({ value, ids: appends === 0 ? [] : ids.slice(used, used + appends), replayed });
      used += appends;
    }
  }

  #take(outcome: Outcome, { bytes, writes }: Draft): Outcome {
    if (bytes > MAX_TX_BYTES) {
      return { error: new StorageError('too_large', `a transaction writes at most ${MAX_TX_BYTES} bytes`) };
    }
    if ('error' in outcome) return outcome;
    this.overlay.take(writes);
    this.#bytes += bytes;
    return outcome;
  }

  #slotsOf({ space, reads, beside, marker }: Work): Slot[] {
    const slots = reads.map((read) => this.overlay.slot(space, documentOf(read)));
    for (const other of beside)
      for (const read of other.reads) slots.push(this.overlay.slot(other.space, documentOf(read)));
    if (marker) slots.push(this.overlay.slot(space, marker));
    return slots;
  }

  async #runOne(work: Waiting, declared: readonly Slot[]): Promise<{ outcome: Outcome; draft: Draft }> {
    const { validate, clock } = this.#options;
    for (let pulls = 0; ; pulls++) {
      const { overlay } = this;
      const draft = new Draft(work.space, { overlay, declared, validate, now: clock.now(), pulls });
      const outcome = runDraft(work, draft);
      draft.close();
      if (draft.missing.length === 0) return { outcome, draft };
      if (pulls >= MAX_PULLS) return { outcome: { error: new Error('a transaction never stops reading') }, draft };
      await this.overlay.load(draft.missing);
    }
  }
}

function runDraft({ run, marker }: Waiting, draft: Draft): Outcome {
  try {
    const done = marker && draft.get(marker);
    if (done) return { value: done.value, appends: 0, replayed: true };
    const value = run(draft, draft);
    if (value instanceof Promise) {
      value.catch(() => {});
      throw new TypeError('the function of a transaction must be synchronous');
    }
    if (marker) draft.put(marker, value === undefined ? {} : { value });
    return { value, appends: draft.writes.appends.length, replayed: false };
  } catch (error) {
    return { error };
  }
}

/** Declaring a queue means reading its head. */
function documentOf(ref: Read): Ref<any> {
  return isQueue(ref) ? ref.of.heads.ref(ref.id) : ref;
}

function isQueue(ref: Read): ref is QueueRef<any> {
  return ref.of.kind === 'queue';
}
