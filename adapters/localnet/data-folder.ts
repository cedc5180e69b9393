import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, syncFolder } from '../../core/platform/new-file.ts';
import { lockFolder } from './folder-lock.ts';
import { Journal, readJournal } from './journal.ts';
import { readSnapshot, type Snapshot, writeSnapshot } from './snapshot.ts';

const SEGMENT = /^journal-(\d{12})\.log$/;

interface Segment {
  readonly first: number;
  readonly path: string;
}

/**
 * A chain on disk: the newest snapshot, and the journal in segments named by their first entry. Entries behind the
 * snapshot rebuild the state; those before it are the history.
 */
export class DataFolder {
  readonly path: string;
  readonly #unlock: () => void;
  readonly #segments: Segment[];
  #journal: Journal | undefined;

  constructor(path: string) {
    makeFolder(path);
    this.path = path;
    this.#unlock = lockFolder(path);
    this.#segments = readdirSync(path)
      .filter((name) => SEGMENT.test(name))
      .sort()
      .map((name) => ({ first: Number(SEGMENT.exec(name)![1]), path: join(path, name) }));
  }

  snapshot(): Snapshot | undefined {
    const snapshot = readSnapshot(this.#snapshotPath);
    if (!snapshot && this.#segments.length) {
      throw new Error(
        `The localnet folder ${this.path} has a journal but no snapshot; restore it or remove the folder.`,
      );
    }
    return snapshot;
  }

  /** Reads every entry still kept, oldest first, and makes the journal ready for appending. */
  open(snapshotSeq: number, visit: (text: string) => void): void {
    let next = this.#segments[0]?.first ?? snapshotSeq;
    let size = 0;
    for (const segment of this.#segments) {
      if (segment.first !== next) throw this.#gap(next);
      const contents = readJournal(segment.path);
      for (const text of contents.lines) visit(text);
      next += contents.lines.length;
      size = contents.size;
    }
    if (next < snapshotSeq) throw this.#gap(next);
    const last = this.#segments.at(-1);
    if (last) this.#journal = new Journal(last.path, size);
    else this.#startSegment(snapshotSeq);
  }

  /** On disk when it returns. */
  append(text: string): void {
    if (!this.#journal) throw new Error('the localnet folder is closed');
    this.#journal.append(text);
  }

  /** Keeps a snapshot, starts a new segment, and removes those whose entries are all older than `oldestKept`. */
  keep(snapshot: Snapshot, oldestKept: number): void {
    writeSnapshot(this.#snapshotPath, snapshot);
    if (this.#segments.at(-1)?.first !== snapshot.seq) this.#startSegment(snapshot.seq);
    while (this.#segments[1] && this.#segments[1].first <= oldestKept) rmSync(this.#segments.shift()!.path);
  }

  close(): void {
    this.#journal?.close();
    this.#journal = undefined;
    this.#unlock();
  }

  get #snapshotPath(): string {
    return join(this.path, 'snapshot');
  }

  #startSegment(first: number): void {
    this.#journal?.close();
    const path = join(this.path, `journal-${String(first).padStart(12, '0')}.log`);
    this.#journal = new Journal(path, 0);
    syncFolder(this.path);
    this.#segments.push({ first, path });
  }

  #gap(seq: number): Error {
    return new Error(`The localnet folder ${this.path} lacks journal entry ${seq}; restore it or remove the folder.`);
  }
}
