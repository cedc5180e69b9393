import type { Adapter } from 'lowdb';
import { StorageError } from '../../core/storage/adapter.ts';
import { isNoRoom } from './checkpoint.ts';
import type { OpenFile } from './disk.ts';
import { type Files, readFrames } from './files.ts';
import { FrameBuilder, mayBeTorn } from './frame.ts';
import { readCommits, writeCommits } from './journal-lines.ts';
import { recover } from './recovery.ts';
import { FORMAT } from './snapshot.ts';
import type { State, Write } from './state.ts';

/**
 * A lowdb adapter that writes the staged commits instead of everything: `write` appends one frame and resolves when
 * it is on the disk. A frame is begun when the one before is durable, so only the last frame of the last journal can
 * be torn.
 */
export class Journal implements Adapter<State> {
  readonly #files: Files;
  readonly #empty: () => State;
  readonly #frame = new FrameBuilder();
  #file: OpenFile | undefined;
  #number = 0;
  #frames = 0;
  #written = false;
  #failure: StorageError | undefined;
  #full = false;
  #isOlder = false;
  /** Bytes in the current journal. */
  bytes = 0;

  constructor(files: Files, empty: () => State) {
    this.#files = files;
    this.#empty = empty;
  }

  /** Why nothing can be written any more; a restart finds out what is on the disk. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** Whether the last write was refused, for good or for want of room. */
  get stopped(): boolean {
    return this.#full || this.#failure !== undefined;
  }

  /** Whether the store that was read has an earlier format, until a checkpoint has written it in this one. */
  get isOlder(): boolean {
    return this.#isOlder;
  }

  /** The number of the journal that is written to. */
  get number(): number {
    return this.#number;
  }

  /** The number of the last frame. */
  get frames(): number {
    return this.#frames;
  }

  async read(): Promise<State> {
    const state = this.#empty();
    try {
      const { frames, journals, format } = await recover(this.#files, state);
      this.#isOlder = format !== undefined && format < FORMAT;
      this.#frames = frames;
      for (const [i, number] of journals.entries()) {
        this.bytes = await this.#replay(number, state, i === journals.length - 1);
        this.#number = number;
      }
      if (this.#number > 0) this.#file = await this.#files.disk.open(this.#files.journal(this.#number), 'r+');
      else await this.rotate();
      return state;
    } catch (error) {
      await state.close();
      throw error;
    }
  }

  async write(state: State): Promise<void> {
    if (this.#failure) throw this.#failure;
    writeCommits(state.staged, this.#frame);
    await this.#append();
    this.#written = true;
  }

  /** Goes on in a new journal and gives its number; a snapshot of that number may then replace what is before it. */
  async rotate(): Promise<number> {
    const number = this.#number + 1;
    try {
      const file = await this.#files.disk.open(this.#files.journal(number), 'w');
      await this.#files.sync();
      await this.#file?.close();
      this.#file = file;
    } catch (error) {
      throw await this.#afterFailure(error, async () => {
        await this.#files.disk.remove(this.#files.journal(number));
        await this.#files.sync();
      });
    }
    this.#number = number;
    this.bytes = 0;
    return number;
  }

  /** After an error on the medium its content is unknown: nothing is written any more, and nothing is retried. */
  poison(cause: unknown): StorageError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new StorageError(
      'poisoned',
      `${this.#files.dir} cannot be written (${reason}); reads go on, a restart recovers all that was acknowledged`,
      { cause },
    );
    return this.#failure;
  }

  /**
   * Where there was no room, and the written part can be taken away again, everything is as it was before: the next
   * write may find room. After any other failure nothing is known.
   */
  async #afterFailure(cause: unknown, undo: () => Promise<void>): Promise<StorageError> {
    if (this.#failure || !isNoRoom(cause)) return this.poison(cause);
    try {
      await undo();
    } catch (error) {
      return this.poison(error);
    }
    this.#full = true;
    return this.#files.full(cause);
  }

  /** An empty frame at the end of the written ones tells later damage from a torn tail. */
  async close(): Promise<void> {
    try {
      if (this.#written && !this.stopped) await this.#append();
    } finally {
      await this.#file?.close();
      this.#file = undefined;
    }
  }

  /** Writes the frame that was begun. */
  async #append(): Promise<void> {
    const frame = this.#frame.finish(this.#frames + 1);
    try {
      await this.#file!.write(frame, this.bytes);
    } catch (error) {
      throw await this.#afterFailure(error, async () => {
        await this.#file!.truncate(this.bytes);
        await this.#file!.datasync();
      });
    }
    try {
      await this.#file!.datasync();
    } catch (error) {
      throw this.poison(error);
    }
    this.#full = false;
    this.#frames++;
    this.bytes += frame.length;
  }

  async #replay(number: number, state: State, isLast: boolean): Promise<number> {
    const path = this.#files.journal(number);
    const file = await this.#files.disk.open(path, 'r+');
    try {
      const size = await file.size();
      let at = 0;
      for await (const frame of readFrames(file)) {
        if (frame.number !== this.#frames + 1) {
          throw this.#files.corrupt(path, `holds frame ${frame.number} where ${this.#frames + 1} is due`);
        }
        const commits = readCommits(frame.payload);
        if (!commits) throw this.#files.corrupt(path, 'is of another release');
        await this.#apply(path, state, commits);
        this.#frames = frame.number;
        at = frame.end;
      }
      if (at < size) {
        if (!isLast || !mayBeTorn(await file.read(size - at, at), 0)) {
          throw this.#files.corrupt(path, `is damaged at byte ${at}`);
        }
        // A frame that was being written when the power went: no caller was told of it.
        await file.truncate(at);
        await file.datasync();
      }
      return at;
    } finally {
      await file.close();
    }
  }

  async #apply(path: string, state: State, commits: readonly Write[]): Promise<void> {
    const { tables, cache } = state;
    const changes = commits.flatMap((commit) => commit.changes);
    const beneath = await cache.run(() => state.beneath(changes));
    for (const change of changes) {
      if (change[0] === 'append' && change[2] > tables.log(change[1]).next) {
        throw this.#files.corrupt(path, `lacks records of the log ${change[1]} below ${change[2]}`);
      }
      tables.apply(change, beneath);
    }
    for (const { number } of commits) tables.commits = Math.max(tables.commits, number);
  }
}
