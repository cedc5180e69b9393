import type { OpenFile } from './disk.ts';
import { type Files, readFrames } from './files.ts';
import { decodeFrame, encodeFrame } from './frame.ts';
import type { LogTail, TailRecord } from './log-tail.ts';
import type { OpenFiles } from './open-files.ts';
import { type Lines, lineFor, lineOf, recordOf } from './segment-lines.ts';
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

/** A block that is wanted for these records of it. */
interface Place {
  readonly segment: Segment;
  readonly place: number;
  readonly ids: number[];
}

const BLOCK_RECORDS = 32;
const BLOCK_CHARS = 256 * 1024;
const CACHED_BLOCKS = 256;
/**
 * Blocks read side by side: one after the other, each would cost a turn of the event loop and a thread that goes to sleep and wakes up.
 * All at once, a long page of long records would be in memory as a whole.
 */
const AT_ONCE = 32;

/** The old records of one log, in files of a fixed number of records. */
export class Segments {
  readonly #files: Files;
  readonly #opened: OpenFiles;
  readonly #size: number;
  readonly #nextNumber: () => number;
  readonly #segments: Segment[] = [];
  readonly #cache = new Map<string, Lines>();

  constructor(files: Files, opened: OpenFiles, size: number, nextNumber: () => number) {
    this.#files = files;
    this.#opened = opened;
    this.#size = size;
    this.#nextNumber = nextNumber;
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
          const lines = this.#linesOf(path, at, await file.read(end - at, at));
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

  /** These records, without those that were trimmed meanwhile. */
  async read(ids: readonly number[]): Promise<Map<number, TailRecord>> {
    const wanted = this.#placesOf(ids);
    const found: [number, TailRecord][] = [];
    for (let n = 0; n < wanted.length; n += AT_ONCE) {
      const parts = await Promise.all(wanted.slice(n, n + AT_ONCE).map((place) => this.#readFrom(place)));
      found.push(...parts.flat());
    }
    return new Map(found);
  }

  /** The blocks that hold these records. */
  #placesOf(ids: readonly number[]): Place[] {
    const wanted = new Map<Block, Place>();
    for (const id of ids) {
      const segment = this.#segments.findLast(({ first }) => first <= id);
      if (!segment) continue;
      const place = blockOf(segment.blocks, id);
      const block = segment.blocks[place]!;
      const known = wanted.get(block);
      if (known) known.ids.push(id);
      else wanted.set(block, { segment, place, ids: [id] });
    }
    return [...wanted.values()];
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

  async #readFrom({ segment, place, ids }: Place): Promise<[number, TailRecord][]> {
    const found: [number, TailRecord][] = [];
    try {
      const lines = await this.#block(segment, place);
      for (const id of ids) {
        const line = lineOf(lines, id);
        if (line !== undefined) found.push(recordOf(line));
      }
    } catch (error) {
      if (this.#segments.includes(segment)) throw error;
    }
    return found;
  }

  async #block({ number, blocks, bytes }: Segment, place: number): Promise<Lines> {
    const { at } = blocks[place]!;
    const name = `${number}:${at}`;
    let lines = this.#cache.get(name);
    if (!lines) {
      const path = this.#files.segment(number);
      const end = blocks[place + 1]?.at ?? bytes;
      lines = this.#linesOf(path, at, await this.#opened.read(path, end - at, at));
    }
    this.#keep(name, lines);
    return lines;
  }

  #linesOf(path: string, at: number, bytes: Buffer): Lines {
    const frame = decodeFrame(bytes, 0);
    if (!frame) throw this.#files.corrupt(path, `is damaged at byte ${at}`);
    return frame.payload;
  }

  /** Nobody reads these again; the files may go. */
  #leave(segments: readonly Segment[]): void {
    for (const { number } of segments) void this.#opened.leave(this.#files.segment(number));
  }

  /** The blocks read last stay in memory. */
  #keep(name: string, block: Lines): void {
    this.#cache.delete(name);
    this.#cache.set(name, block);
    if (this.#cache.size > CACHED_BLOCKS) this.#cache.delete(this.#cache.keys().next().value!);
  }
}

/** The last block that begins at or below this id. */
function blockOf(blocks: readonly Block[], id: number): number {
  let low = 0;
  let high = blocks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (blocks[middle]!.first <= id) low = middle;
    else high = middle - 1;
  }
  return low;
}

export async function removeSegments(files: Files, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    await files.disk.remove(files.segment(number));
    await files.disk.remove(files.sidecar(number));
  }
}
