import type { OpenFile } from './disk.ts';
import { type Files, readFrames } from './files.ts';
import { encodeFrame } from './frame.ts';
import type { LogTail, TailRecord } from './log-tail.ts';
import type { OpenFiles } from './open-files.ts';
import { lineFor, recordOf } from './segment-lines.ts';
import { type KeptRecords, payloadOf, SegmentReader } from './segment-reader.ts';
import { readSidecar, writeSidecar } from './sidecar.ts';

/** One file of old records, as a snapshot notes it. Bytes behind `bytes` were never acknowledged. */
export interface SegmentNote {
  readonly number: number;
  readonly first: number;
  readonly records: number;
  readonly bytes: number;
}

/** A block is a frame; its first record's id and its position are the sparse index. */
export interface Block {
  readonly first: number;
  readonly at: number;
}

export interface Segment {
  readonly number: number;
  readonly first: number;
  last: number;
  records: number;
  bytes: number;
  blocks: Block[];
}

const BLOCK_RECORDS = 32;
const BLOCK_CHARS = 256 * 1024;

export interface SegmentsParts {
  readonly files: Files;
  readonly opened: OpenFiles;
  readonly kept: KeptRecords;
  /** Records in a full file. */
  readonly size: number;
  readonly nextNumber: () => number;
}

/** The old records of one log, in files of a fixed number of records. */
export class Segments {
  readonly #files: Files;
  readonly #opened: OpenFiles;
  readonly #size: number;
  readonly #nextNumber: () => number;
  readonly #segments: Segment[] = [];
  /** Finds single records. */
  readonly reader: SegmentReader;

  constructor({ files, opened, kept, size, nextNumber }: SegmentsParts) {
    this.#files = files;
    this.#opened = opened;
    this.#size = size;
    this.#nextNumber = nextNumber;
    this.reader = new SegmentReader({ files, opened, kept, segments: this.#segments });
  }

  /** The last id that is in a file. */
  get persisted(): number {
    return this.#segments.at(-1)?.last ?? 0;
  }

  notes(): SegmentNote[] {
    return this.#segments.map(({ number, first, records, bytes }) => ({ number, first, records, bytes }));
  }

  /** Takes over the notes of a snapshot. */
  async load(notes: readonly SegmentNote[]): Promise<void> {
    for (const note of notes) {
      const file = this.#files.segment(note.number);
      const size = await this.#files.disk.size(file);
      if (size === undefined) throw this.#files.corrupt(file, 'is missing');
      if (size < note.bytes) throw this.#files.corrupt(file, `has ${size} bytes instead of ${note.bytes}`);
      const sealed = note.records >= this.#size;
      const sidecar = this.#files.sidecar(note.number);
      const known = sealed ? await readSidecar(this.#files, sidecar, note) : undefined;
      const segment = known ?? (await this.#scan(note));
      if (sealed && !known) await writeSidecar(this.#files, sidecar, segment);
      this.#segments.push(segment);
    }
  }

  /** Moves the records up to and including `upTo` into files. Written records count once a snapshot notes them. */
  async append(log: LogTail, upTo: number): Promise<void> {
    let id = log.above(Math.max(this.persisted, log.trimmed) + 1);
    while (id <= upTo) {
      const segment = this.#openSegment(id);
      // A segment that holds nothing acknowledged may be the rest of a checkpoint that was killed.
      const file = await this.#files.disk.open(this.#files.segment(segment.number), segment.bytes === 0 ? 'w' : 'r+');
      try {
        while (id <= upTo && segment.last === id - 1 && segment.records < this.#size) {
          id = log.above(await this.#appendBlock(file, segment, log, id, upTo));
        }
        await file.datasync();
      } finally {
        await file.close();
      }
      if (segment.records >= this.#size) {
        await writeSidecar(this.#files, this.#files.sidecar(segment.number), segment);
      }
    }
  }

  /** All records, in order. */
  async *records(): AsyncGenerator<[number, TailRecord]> {
    for (const segment of this.#segments) {
      const path = this.#files.segment(segment.number);
      const file = await this.#files.disk.open(path, 'r');
      try {
        for (const [place, { at }] of segment.blocks.entries()) {
          const end = segment.blocks[place + 1]?.at ?? segment.bytes;
          const lines = payloadOf(this.#files, path, at, await file.read(end - at, at));
          for (const line of lines.toString().split('\n')) if (line) yield recordOf(line);
        }
      } finally {
        await file.close();
      }
    }
  }

  /**
   * Remembers the present segments. The returned function restores them, whatever was appended and dropped meanwhile.
   */
  mark(): () => Promise<void> {
    const before = this.#segments.map((segment) => ({ segment, ...segment, count: segment.blocks.length }));
    return async () => {
      const known = new Set(before.map(({ number }) => number));
      const made = this.#segments.filter(({ number }) => !known.has(number));
      const restored = before.map(({ segment, last, records, bytes, count }) => {
        segment.blocks.length = count;
        return Object.assign(segment, { last, records, bytes });
      });
      this.#segments.splice(0, this.#segments.length, ...restored);
      this.#leave(made);
      await removeSegments(
        this.#files,
        made.map(({ number }) => number),
      );
    };
  }

  /** Lets go of the files whose records are all trimmed; they may be removed once a snapshot has forgotten them. */
  dropTrimmed(trimmed: number): number[] {
    const kept = this.#segments.findIndex(({ last }) => last > trimmed);
    const dropped = this.#segments.splice(0, kept < 0 ? this.#segments.length : kept);
    this.#leave(dropped);
    return dropped.map(({ number }) => number);
  }

  #openSegment(first: number): Segment {
    const last = this.#segments.at(-1);
    if (last && last.records < this.#size && last.last === first - 1) return last;
    const segment = {
      number: this.#nextNumber(),
      first,
      last: first - 1,
      records: 0,
      bytes: 0,
      blocks: [],
    };
    this.#segments.push(segment);
    return segment;
  }

  async #appendBlock(file: OpenFile, segment: Segment, log: LogTail, from: number, upTo: number): Promise<number> {
    const end = Math.min(upTo + 1, from + BLOCK_RECORDS, from + this.#size - segment.records, log.gapAbove(from));
    const lines: string[] = [];
    let id = from;
    for (let chars = 0; id < end && chars < BLOCK_CHARS; id++) {
      // A record trimmed while this runs leaves an empty place: its id is below every page.
      const { value, postings } = log.record(id) ?? { value: '', postings: [] };
      const line = lineFor(id, { postings, value });
      lines.push(line);
      chars += line.length;
    }
    const frame = encodeFrame(from, lines.join('\n'));
    await file.write(frame, segment.bytes);
    segment.blocks.push({ first: from, at: segment.bytes });
    segment.bytes += frame.length;
    segment.records += id - from;
    segment.last = id - 1;
    return id;
  }

  /** Finds the blocks by reading the whole file. */
  async #scan(note: SegmentNote): Promise<Segment> {
    const blocks: Block[] = [];
    const path = this.#files.segment(note.number);
    const file = await this.#files.disk.open(path, 'r');
    let at = 0;
    try {
      for await (const frame of readFrames(file)) {
        if (at >= note.bytes) break;
        blocks.push({ first: frame.number, at });
        at = frame.end;
      }
    } finally {
      await file.close();
    }
    if (at !== note.bytes) throw this.#files.corrupt(path, `is damaged at byte ${at}`);
    return { ...note, last: note.first + note.records - 1, blocks };
  }

  /** Nobody reads these again; the files may go. */
  #leave(segments: readonly Segment[]): void {
    for (const { number } of segments) void this.#opened.leave(this.#files.segment(number));
  }
}

export async function removeSegments(files: Files, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    await files.disk.remove(files.segment(number));
    await files.disk.remove(files.sidecar(number));
  }
}
