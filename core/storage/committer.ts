import type { Clock, Random } from '../clock.ts';
import { type CommitBatch, type CommitResult, type DocumentRef, type StorageAdapter, StorageError } from './adapter.ts';
import type { QueueRef, Ref } from './declarations.ts';
import { locate } from './locate.ts';
import { nameOf, Overlay } from './overlay.ts';
import { ReadAhead } from './read-ahead.ts';
import type { SharedValues } from './shared-values.ts';
import { Draft, type Tx } from './transaction.ts';
import type { Validate } from './values.ts';

export interface CommitterOptions {
  readonly adapter: StorageAdapter;
  readonly values: SharedValues;
  readonly validate: Validate;
  readonly clock: Clock;
  readonly random: Random;
}

export interface TxResult<R> {
  readonly value: R;
  /** The ids of the appended records, in the order of the appends; empty when `replayed`. */
  readonly ids: readonly number[];
  /** An earlier transaction with this operation id had already done it; `value` is its value. */
  readonly replayed: boolean;
}

export interface Work {
  readonly space: string;
  readonly reads: readonly (Ref<any> | QueueRef<any>)[];
  readonly run: (tx: Tx) => unknown;
  /** Where the result of this operation is remembered. */
  readonly marker: Ref<{ value?: unknown }> | undefined;
}

interface Waiting extends Work {
  /** The documents it reads, by name. */
  readonly declared: ReadonlyMap<string, DocumentRef>;
  readonly resolve: (result: TxResult<any>) => void;
  readonly reject: (error: unknown) => void;
  attempts: number;
}

type Outcome = { value: unknown; appends: number; replayed: boolean } | { error: unknown };

const MAX_BATCH = 256;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_WAITING = 16_384;
const MAX_ATTEMPTS = 24;
const MAX_PULLS = 256;
/** From this attempt on it waits before it tries again. */
const PATIENT_ATTEMPT = 4;

/**
 * Runs the waiting transactions of this process in order over one overlay and commits them together. When another
 * process was faster, they run again in smaller batches. Nothing is told to anybody before it is durable: not even
 * an error, which may be about a state that is not.
 */
export class Committer {
  readonly #options: CommitterOptions;
  #waiting: Waiting[] = [];
  #batchSize = MAX_BATCH;
  #running: Promise<void> | undefined;
  #closed = false;
  #changes = 0;
  /** While a commit is on its way: what is read meanwhile for the batch after it. */
  #ahead: ReadAhead | undefined;
  /** How many of those who wait it has been told of. */
  #asked = 0;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  submit<R>(work: Work): Promise<TxResult<R>> {
    if (this.#closed) return Promise.reject(new StorageError('closed', 'the store is closed'));
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StorageError('full', `${MAX_WAITING} transactions are already waiting`));
    }
    return new Promise((resolve, reject) => {
      const { space, reads, run, marker } = work;
      this.#waiting.push({ space, reads, run, marker, declared: declaredBy(work), resolve, reject, attempts: 0 });
      this.#running ??= this.#drain();
      this.#ahead?.look(() => this.#coming());
    });
  }

  /** Finishes what is waiting and refuses more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Those who submit in the same tick go into the same batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#batchSize);
      try {
        await this.#attempt(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#ahead = undefined;
    this.#running = undefined;
  }

  async #attempt(batch: Waiting[]): Promise<void> {
    const overlay = (await this.#ahead?.finish()) ?? this.#overlay();
    this.#ahead = undefined;
    await overlay.load(declaredOf(batch));
    const outcomes = await this.#runAll(batch, overlay);
    // What did not fit into this commit goes first in the next one.
    this.#waiting.unshift(...batch.splice(outcomes.length));
    let commit: CommitBatch | undefined;
    try {
      commit = overlay.batch(this.#options.validate);
    } catch (error) {
      if (batch.length === 1) throw error;
      // One of them put what may not be stored, which is refused when it is alone.
      return this.#again(batch);
    }
    const result: CommitResult = commit ? await this.#commit(commit) : { ok: true, ids: [] };
    if (!result.ok) return this.#retry(batch);
    this.#batchSize = Math.min(MAX_BATCH, this.#batchSize * 2);
    settle(batch, outcomes, result.ids);
  }

  /** Another number whenever something this process committed may have become visible. */
  get changes(): number {
    return this.#changes;
  }

  async #commit(commit: CommitBatch): Promise<CommitResult> {
    this.#changes += 1;
    this.#ahead = new ReadAhead(this.#overlay(), commit);
    this.#asked = 0;
    this.#ahead.look(() => this.#coming());
    let result: CommitResult | undefined;
    try {
      result = await this.#options.adapter.commit(commit);
      return result;
    } finally {
      this.#changes += 1;
      // Others have changed something, or nobody knows: what was read meanwhile is worth little.
      if (!result?.ok) this.#ahead = undefined;
    }
  }

  /** What those of the next batch say they will read who have come since it was last asked. */
  #coming(): Map<string, DocumentRef> {
    const from = this.#asked;
    this.#asked = Math.max(from, Math.min(this.#waiting.length, this.#batchSize));
    return declaredOf(this.#waiting.slice(from, this.#asked));
  }

  #overlay(): Overlay {
    return new Overlay(this.#options.adapter, this.#options.values);
  }

  async #runAll(batch: readonly Waiting[], overlay: Overlay): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    let bytes = 0;
    for (const work of batch) {
      const { outcome, draft } = await this.#runOne(work, overlay);
      if (bytes > 0 && bytes + draft.bytes > MAX_BATCH_BYTES) break;
      if (draft.bytes > MAX_BATCH_BYTES) {
        outcomes.push({
          error: new StorageError('too_large', `a transaction writes at most ${MAX_BATCH_BYTES} bytes`),
        });
        continue;
      }
      if (!('error' in outcome)) {
        overlay.take(draft.writes);
        bytes += draft.bytes;
      }
      outcomes.push(outcome);
    }
    return outcomes;
  }

  async #runOne(work: Waiting, overlay: Overlay): Promise<{ outcome: Outcome; draft: Draft }> {
    const { validate, clock } = this.#options;
    for (let pulls = 0; ; pulls++) {
      const draft = new Draft(work.space, overlay, work.declared, validate, clock.now());
      const outcome = runDraft(work, draft);
      draft.close();
      if (draft.missing.size === 0) return { outcome, draft };
      if (pulls >= MAX_PULLS) return { outcome: { error: new Error('a transaction never stops reading') }, draft };
      await overlay.load(draft.missing);
    }
  }

  async #retry(batch: readonly Waiting[]): Promise<void> {
    const again = batch.filter((work) => ++work.attempts < MAX_ATTEMPTS);
    for (const work of batch) {
      if (work.attempts < MAX_ATTEMPTS) continue;
      work.reject(new StorageError('conflict', `others changed what this transaction read, ${MAX_ATTEMPTS} times`));
    }
    this.#again(again);
    const attempts = again[0]?.attempts ?? 0;
    // Who waits comes too late again, as long as the other one does not wait either.
    if (attempts < PATIENT_ATTEMPT) return;
    const ms = this.#options.random.fraction() * Math.min(64, 2 ** attempts);
    await this.#options.clock.sleep(Math.ceil(ms));
  }

  /** Puts transactions in front of those who wait, to run in smaller batches. */
  #again(batch: readonly Waiting[]): void {
    this.#waiting.unshift(...batch);
    this.#batchSize = Math.max(1, batch.length >> 1);
  }
}

function declaredBy({ space, reads, marker }: Work): ReadonlyMap<string, DocumentRef> {
  const declared = new Map<string, DocumentRef>();
  for (const read of marker ? [...reads, marker] : reads) {
    const ref = locate(space, documentOf(read));
    declared.set(nameOf(ref), ref);
  }
  return declared;
}

function declaredOf(batch: readonly Waiting[]): Map<string, DocumentRef> {
  const declared = new Map<string, DocumentRef>();
  for (const work of batch) for (const [name, ref] of work.declared) declared.set(name, ref);
  return declared;
}

/** Declaring a queue means reading its head. */
function documentOf(ref: Ref<any> | QueueRef<any>): Ref<any> {
  return isQueue(ref) ? ref.of.heads.ref(ref.id) : ref;
}

function isQueue(ref: Ref<any> | QueueRef<any>): ref is QueueRef<any> {
  return ref.of.kind === 'queue';
}

function runDraft({ run, marker }: Waiting, draft: Draft): Outcome {
  try {
    const done = marker && draft.get(marker);
    if (done) return { value: done.value, appends: 0, replayed: true };
    const value = run(draft);
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

function settle(batch: readonly Waiting[], outcomes: readonly Outcome[], ids: readonly number[]): void {
  let used = 0;
  for (const [i, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[i]!;
    if ('error' in outcome) {
      reject(outcome.error);
      continue;
    }
    const { value, appends, replayed } = outcome;
    resolve({ value, ids: ids.slice(used, used + appends), replayed });
    used += appends;
  }
}
