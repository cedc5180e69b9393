import type { StorageError } from '../../core/storage/adapter.ts';
import { checkpoint, freeze, isNoRoom } from './checkpoint.ts';
import type { Files } from './files.ts';
import type { Journal } from './journal.ts';
import type { State } from './state.ts';

export interface CheckpointsOptions {
  readonly files: Files;
  readonly journal: Journal;
  /** A checkpoint begins when so many bytes are in journals. */
  readonly bytes: number;
  /** Records of each log that stay in memory. */
  readonly hotRecords: number;
}

/** While a checkpoint runs, journals may hold this many times the bytes at which one begins. */
const MAX_AHEAD = 2;
/** Milliseconds after a checkpoint that found no room before it is tried again. */
const LOOK_AGAIN = 250;

/** Decides when checkpoints run, one at a time, and when one that found no room is tried again. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  #running: Promise<void> | undefined;
  /**
   * A checkpoint that found no room: its refusal, the bytes in journals and memory by then, and the time of the next
   * try.
   */
  #owed: { readonly refusal: StorageError; readonly bytes: number; readonly from: number } | undefined;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Why the last one could not be made, for want of room. */
  get refusal(): StorageError | undefined {
    return this.#owed?.refusal;
  }

  /**
   * Begins one when it is due. Memory holds all that is in journals, so a commit far ahead of a running one waits for
   * it.
   */
  async keepUp(state: State): Promise<void> {
    if (this.#isDue()) await this.begin(state);
    if (this.#isFarAhead()) await this.#running;
  }

  /** Rejects with `full` while the disk has no room for one and memory may hold no more. */
  async makeRoom(state: State): Promise<void> {
    if (!this.#owed || !this.#isFarAhead()) return;
    // Nobody can write while this refuses, so a journal that had no room does not say that there is none now.
    if (!this.#running && !this.#options.journal.failure && this.#isTime()) await this.begin(state);
    await this.#running;
    if (this.#owed) throw this.#owed.refusal;
  }

  async begin(state: State): Promise<void> {
    const { files, journal, hotRecords } = this.#options;
    const ahead = this.#ahead;
    const { bytes } = journal;
    // The journal of one that found no room will do, as long as nothing was written to it.
    const number = this.#owed && bytes === 0 ? journal.number : await journal.rotate().catch(() => undefined);
    if (number === undefined) return;
    this.#running = checkpoint(files, state, number, freeze(state, journal.frames, bytes), hotRecords)
      .then(
        () => {
          this.#owed = undefined;
        },
        (error) => {
          if (!isNoRoom(error)) return void journal.poison(error);
          this.#owed = { refusal: files.full(error), bytes: ahead, from: performance.now() + LOOK_AGAIN };
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when none runs. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** Bytes in journals. */
  get #ahead(): number {
    return this.#options.journal.bytes + (this.#owed?.bytes ?? 0);
  }

  #isFarAhead(): boolean {
    return this.#ahead > MAX_AHEAD * this.#options.bytes;
  }

  #isDue(): boolean {
    return !this.#running && !this.#options.journal.stopped && this.#isTime() && this.#ahead > this.#options.bytes;
  }

  #isTime(): boolean {
    return performance.now() >= (this.#owed?.from ?? 0);
  }
}
