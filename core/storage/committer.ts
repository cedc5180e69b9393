import type { Clock, Random } from '../platform/clock.ts';
import { type CommitBatch, type CommitResult, type StorageAdapter, StorageError } from './adapter.ts';
import { Batch, type TxResult, type Waiting, type Work } from './batch.ts';
import { Overlay } from './overlay.ts';
import type { SharedValues } from './shared-values.ts';
import type { Validate } from './values.ts';

export interface CommitterOptions {
  readonly adapter: StorageAdapter;
  readonly values: SharedValues;
  readonly validate: Validate;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Told of the adapter's answer to every commit: undefined when it took it, or answered that others were faster. One that adds nothing
   * finds room in a store that is full.
   */
  readonly committed?: ((error: unknown, adds: boolean) => void) | undefined;
}

/** A batch whose commit is on its way. */
interface InFlightCommit {
  readonly batch: Batch;
  /** The result of the commit, when it is known. */
  result: CommitResult | { readonly error: unknown } | undefined;
}

const MAX_BATCH = 256;
const MAX_WAITING = 16_384;
const MAX_ATTEMPTS = 24;
/** From this attempt on it waits before it tries again. */
const PATIENT_ATTEMPT = 4;
/** So many batches are not run ahead after another process has written, or tried to. */
const CONTENDED_BATCHES = 16;

/**
 * Runs the waiting transactions of this process in order, in batches that are committed together. While the commit of
 * a batch is on its way, the next batch runs ahead, over the state that the commit will leave. When the commit leaves
 * another state, because it failed or another process was faster, both batches run again. A process that runs ahead is
 * always faster than one that does not, so no process does while another one writes. The versions show that: every
 * commit and every refused one takes the next. No caller gets a result before it is durable, not even an error: it
 * may be about a state that is not.
 */
export class Committer {
  readonly #options: CommitterOptions;
  #waiting: Waiting[] = [];
  #batchSize = MAX_BATCH;
  #running: Promise<void> | undefined;
  #closed = false;
  #changes = 0;
  /** The version of the last commit. */
  #version = 0;
  /** Rounds to come that are not run ahead. */
  #contended = 0;
  /** Called when there is something to run, or the commit on its way has arrived. */
  #signal: (() => void) | undefined;
  readonly #followers = new Set<() => void>();

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  submit<R>(work: Work): Promise<TxResult<R>> {
    if (this.#closed) return Promise.reject(new StorageError('closed', 'the store is closed'));
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StorageError('full', `${MAX_WAITING} transactions are already waiting`));
    }
    return new Promise((resolve, reject) => {
      const { space, reads, beside, run, marker } = work;
      // Here it fails alone, and not with all that share its batch.
      const isFit = reads.every((read) => read?.of) && beside.every((other) => other.reads.every((read) => read?.of));
      if (!isFit) throw new TypeError('a transaction declares references as its reads');
      this.#waiting.push({ space, reads, beside, run, marker, resolve, reject, attempts: 0 });
      this.#running ??= this.#drain();
      this.#signal?.();
    });
  }

  /** Another number whenever something this process committed may have become visible. */
  get changes(): number {
    return this.#changes;
  }

  /** Calls this after every commit. The returned function ends it. */
  follow(changed: () => void): () => void {
    const follower = () => changed();
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Finishes what is waiting and refuses more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #drain(): Promise<void> {
    // Those who submit in the same tick go into the same batch.
    await Promise.resolve();
    let inFlight: InFlightCommit | undefined;
    let batch = this.#begin();
    while (inFlight || batch.works.length > 0 || this.#waiting.length > 0) {
      await this.#run(batch, inFlight);
      const landed = !inFlight || (await this.#land(inFlight, batch));
      inFlight = undefined;
      if (landed) ({ inFlight, batch } = await this.#send(batch));
      else batch = this.#begin();
    }
    this.#running = undefined;
  }

  /** A batch of the waiting transactions, run over the state that the one before will leave. */
  #begin(before?: Batch): Batch {
    const { adapter, values } = this.#options;
    const batch = new Batch(new Overlay(adapter, values, before?.overlay), this.#options);
    batch.add(this.#waiting.splice(0, this.#batchSize));
    return batch;
  }

  /** Runs a batch; while the commit before is on its way, with all transactions that come meanwhile. */
  async #run(batch: Batch, before: InFlightCommit | undefined): Promise<void> {
    try {
      for (;;) {
        batch.add(this.#waiting.splice(0, this.#batchSize - batch.works.length));
        this.#waiting.unshift(...(await batch.run()));
        if (!before || before.result || batch.isFull || batch.works.length >= this.#batchSize) return;
        if (this.#waiting.length === 0) await this.#news();
      }
    } catch (error) {
      for (const { reject } of batch.works.splice(0)) reject(error);
    }
  }

  /** Resolves when a transaction comes, or the commit on its way has arrived. */
  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#signal = resolve;
    });
  }

  /** Commits a batch, once the commit beneath it has arrived, and begins the next one. */
  async #send(batch: Batch): Promise<{ inFlight: InFlightCommit | undefined; batch: Batch }> {
    const commit = this.#batchOf(batch);
    if (!commit) return { inFlight: undefined, batch: this.#begin() };
    const inFlight: InFlightCommit = { batch, result: undefined };
    if (this.#contended > 0) {
      this.#contended -= 1;
      void this.#commit(inFlight, commit);
      await this.#land(inFlight);
      return { inFlight: undefined, batch: this.#begin() };
    }
    // Its reads are asked for first: a server does one thing after the other.
    const next = this.#begin(batch);
    void this.#commit(inFlight, commit);
    return { inFlight, batch: next };
  }

  async #commit(inFlight: InFlightCommit, commit: CommitBatch): Promise<void> {
    const adds = commit.effects.some(({ kind }) => kind !== 'delete' && kind !== 'trim');
    this.#changes += 1;
    try {
      inFlight.result = await this.#options.adapter.commit(commit);
      this.#options.committed?.(undefined, adds);
    } catch (error) {
      inFlight.result = { error };
      this.#options.committed?.(error, adds);
    }
    this.#changes += 1;
    this.#signal?.();
    for (const changed of this.#followers) changed();
  }

  /**
   * The commit of a batch. Undefined when there is none: then each caller has its answer, or will run
   * again.
   */
  #batchOf(batch: Batch): CommitBatch | undefined {
    if (batch.works.length === 0) return undefined;
    try {
      const commit = batch.overlay.batch(this.#options.validate, this.#version);
      if (!commit) batch.settle([]);
      return commit;
    } catch (error) {
      const { works } = batch;
      // One of several put a value that may not be stored: it is refused when it is alone.
      if (works.length > 1) this.#again(works);
      else for (const { reject } of works) reject(error);
      return undefined;
    }
  }

  /** Waits for a commit and tells of it; false when `next`, which was run over it, has to run again. */
  async #land(inFlight: InFlightCommit, next?: Batch): Promise<boolean> {
    while (!inFlight.result) await this.#news();
    const { batch, result } = inFlight;
    if ('ok' in result && result.ok) {
      const { version, ids } = result;
      if (version !== this.#version + 1) this.#contended = CONTENDED_BATCHES;
      this.#version = version;
      this.#batchSize = Math.min(MAX_BATCH, this.#batchSize * 2);
      batch.settle(ids);
      return true;
    }
    if (next) this.#waiting.unshift(...next.works);
    if ('error' in result) for (const { reject } of batch.works) reject(result.error);
    else await this.#retry(batch.works);
    return false;
  }

  async #retry(works: readonly Waiting[]): Promise<void> {
    const again = works.filter((work) => ++work.attempts < MAX_ATTEMPTS);
    for (const work of works) {
      if (work.attempts < MAX_ATTEMPTS) continue;
      work.reject(new StorageError('conflict', `others changed what this transaction read, ${MAX_ATTEMPTS} times`));
    }
    this.#contended = CONTENDED_BATCHES;
    this.#again(again);
    const attempts = again[0]?.attempts ?? 0;
    // A process that waits comes too late again, as long as the other one does not wait either.
    if (attempts < PATIENT_ATTEMPT) return;
    const ms = this.#options.random.fraction() * Math.min(64, 2 ** attempts);
    await this.#options.clock.sleep(Math.ceil(ms));
  }

  /** Puts transactions in front of those who wait, to run in smaller batches. */
  #again(works: readonly Waiting[]): void {
    this.#waiting.unshift(...works);
    this.#batchSize = Math.max(1, works.length >> 1);
  }
}
