import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { Adapter } from 'lowdb';
import { StorageError } from '../../core/storage/adapter.ts';
import type { Change } from '../../core/storage/changes.ts';
import { type Files, writeAll } from './files.ts';
import { decodeFrame, encodeFrame, linesOf, mayBeTorn } from './frame.ts';
import { recover } from './recovery.ts';
import type { State } from './state.ts';

/** One commit as a line of a journal frame. */
type Line = readonly [commit: number, changes: readonly Change[]];

/**
 * A lowdb adapter that writes what was staged instead of everything: `write` appends one frame and resolves when it is
 * on the disk. A frame is begun when the one before is durable, so only the last frame of the last journal can be torn.
 */
export class Journal implements Adapter<State> {
  readonly #files: Files;
  readonly #empty: () => State;
  #handle: FileHandle | undefined;
  #number = 0;
  #frames = 0;
  #written = false;
  #failure: StorageError | undefined;
  /** Bytes in the current journal. */
  bytes = 0;
  /** Bytes of the snapshot below it. */
  snapshotBytes = 0;

  constructor(files: Files, empty: () => State) {
    this.#files = files;
    this.#empty = empty;
  }

  /** Why nothing can be written any more; a restart finds out what is on the disk. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** The number of the last frame. */
  get frames(): number {
    return this.#frames;
  }

  async read(): Promise<State> {
    const state = this.#empty();
    const found = await recover(this.#files, state);
    this.snapshotBytes = found.snapshotBytes;
    this.#frames = found.frames;
    for (const [i, number] of found.journals.entries()) {
      this.bytes = await this.#replay(number, state, i === found.journals.length - 1);
      this.#number = number;
    }
    if (this.#number > 0) this.#handle = await open(this.#files.journal(this.#number), 'r+');
    else await this.rotate();
    return state;
  }

  async write(state: State): Promise<void> {
    if (this.#failure) throw this.#failure;
    const lines = state.staged.map(({ number, changes }) => JSON.stringify([number, changes] satisfies Line));
    await this.#append(lines.join('\n'));
    this.#written = true;
  }

  /** Goes on in a new journal and gives its number; a snapshot of that number may then replace what is before it. */
  async rotate(): Promise<number> {
    const number = this.#number + 1;
    try {
      const handle = await open(this.#files.journal(number), 'w', 0o600);
      await this.#files.sync();
      await this.#handle?.close();
      this.#handle = handle;
    } catch (error) {
      throw this.poison(error);
    }
    this.#number = number;
    this.bytes = 0;
    return number;
  }

  /** After an error on the medium nobody knows what is on it: nothing is written any more, and nothing is retried. */
  poison(cause: unknown): StorageError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.#failure ??= new StorageError(
      'poisoned',
      `${this.#files.dir} cannot be written (${reason}); reads go on, a restart recovers all that was acknowledged`,
      { cause },
    );
    return this.#failure;
  }

  /** An empty frame at the end of what was written tells later damage from a torn tail. */
  async close(): Promise<void> {
    try {
      if (this.#written && !this.#failure) await this.#append('');
    } finally {
      await this.#handle?.close();
      this.#handle = undefined;
    }
  }

  async #append(payload: string): Promise<void> {
    const frame = encodeFrame(this.#frames + 1, payload);
    try {
      await writeAll(this.#handle!, frame, this.bytes);
      await this.#handle!.datasync();
    } catch (error) {
      throw this.poison(error);
    }
    this.#frames++;
    this.bytes += frame.length;
  }

  async #replay(number: number, state: State, isLast: boolean): Promise<number> {
    const file = this.#files.journal(number);
    const bytes = await readFile(file);
    let at = 0;
    for (let frame = decodeFrame(bytes, 0); frame; frame = decodeFrame(bytes, at)) {
      if (frame.number !== this.#frames + 1) {
        throw this.#files.corrupt(file, `holds frame ${frame.number} where ${this.#frames + 1} is due`);
      }
      for (const [commit, changes] of linesOf(frame.payload) as Iterable<Line>) {
        for (const change of changes) this.#apply(file, state, change);
        state.rows.commits = Math.max(state.rows.commits, commit);
      }
      this.#frames = frame.number;
      at = frame.end;
    }
    if (at < bytes.length) {
      if (!isLast || !mayBeTorn(bytes, at)) throw this.#files.corrupt(file, `is damaged at byte ${at}`);
      await cut(file, at);
    }
    return at;
  }

  #apply(file: string, state: State, change: Change): void {
    if (change[0] === 'append' && change[2] > state.rows.log(change[1]).next) {
      throw this.#files.corrupt(file, `lacks records of the log ${change[1]} below ${change[2]}`);
    }
    state.rows.apply(change);
  }
}

/** Removes a frame that was being written when the power went: nobody was told that it was there. */
async function cut(file: string, length: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(length);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
