import { Rows } from '../../core/storage/rows.ts';
import type { Staged } from '../../core/storage/staging.ts';
import type { Files } from './files.ts';
import { Segments } from './segments.ts';

/** What lowdb holds as its data: everything durable, and the commits that `write` is about to make durable. */
export class State {
  readonly rows: Rows;
  readonly segments = new Map<string, Segments>();
  staged: Staged[] = [];
  readonly #files: Files;
  readonly #segmentRecords: number;
  /** Numbers of segment files rise over the whole store. */
  lastSegment = 0;

  constructor(files: Files, now: () => number, segmentRecords: number) {
    this.rows = new Rows(now);
    this.#files = files;
    this.#segmentRecords = segmentRecords;
  }

  segmentsOf(log: string): Segments {
    let segments = this.segments.get(log);
    if (!segments) {
      segments = new Segments(this.#files, this.#segmentRecords, () => ++this.lastSegment);
      this.segments.set(log, segments);
    }
    return segments;
  }
}
