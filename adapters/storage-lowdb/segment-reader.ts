import type { Files } from './files.ts';
import { decodeFrame } from './frame.ts';
import { bytesOfText, Latest } from './latest.ts';
import type { TailRecord } from './log-tail.ts';
import type { OpenFiles } from './open-files.ts';
import { type Lines, lineOf, recordOf, valueIn } from './segment-lines.ts';
import type { Block, Segment } from './segments.ts';

/** A block that is wanted for these records of it. */
interface Place {
  readonly segment: Segment;
  readonly place: number;
  readonly ids: number[];
}

/** A block with fewer is one of a quiet log; its records are kept also where one page has them all. */
const FEW_RECORDS = 8;
/** Of blocks that were read last. */
const BLOCK_BYTES = 4 * 1024 * 1024;
/**
 * Blocks read side by side: one after the other, each would cost a turn of the event loop and a thread that goes to sleep and wakes up.
 * All at once, a long page of long records would be in memory as a whole.
 */
const AT_ONCE = 32;

const RECORDS_PER_SEGMENT = 2 ** 26;

/**
 * The parts of old records, of all logs, that were read last. An agent's page has a record or two in each of fifty blocks, so the values that were
 * asked for are kept for longer than whole blocks. A record keeps its segment and its place in it for ever, and the number of a segment is
 * given once: so nothing that is kept becomes wrong.
 */
export class KeptRecords {
  readonly values: Latest<number, string>;
  /** A small one keeps alive the piece of memory that Node cuts such buffers from. */
  readonly blocks = new Latest<number, Lines>(BLOCK_BYTES, ({ length }) => Math.max(length, Buffer.poolSize));

  constructor(valueBytes: number) {
    this.values = new Latest(valueBytes, bytesOfText);
  }
}

interface ReaderParts {
  readonly files: Files;
  readonly opened: OpenFiles;
  readonly kept: KeptRecords;
  /** Of one log, in order; its owner adds some and takes others away. */
  readonly segments: readonly Segment[];
}

/** Finds single records of a log in its segments. */
export class SegmentReader {
  readonly #files: Files;
  readonly #opened: OpenFiles;
  readonly #kept: KeptRecords;
  readonly #segments: readonly Segment[];

  constructor({ files, opened, kept, segments }: ReaderParts) {
    this.#files = files;
    this.#opened = opened;
    this.#kept = kept;
    this.#segments = segments;
  }

  /** The values of these records, without those that were trimmed meanwhile. */
  async values(ids: readonly number[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    const unknown = ids.filter((id) => {
      const segment = this.#segmentOf(id);
      const value = segment && this.#kept.values.get(nameOf(segment, id));
      if (value !== undefined) found.set(id, value);
      return value === undefined;
    });
    await this.#look(unknown, (lines, { segment, place, ids: wanted }) => {
      // A reader that takes most of a block goes through everything: it pays little for each record, and would push out all others.
      const { first } = segment.blocks[place]!;
      const end = segment.blocks[place + 1]?.first ?? segment.last + 1;
      const isPassing = 2 * wanted.length > Math.max(end - first, FEW_RECORDS);
      for (const id of wanted) {
        const line = lineOf(lines, id, id - first);
        if (!line) continue;
        const value = valueIn(line);
        found.set(id, value);
        if (!isPassing) this.#kept.values.keep(nameOf(segment, id), value);
      }
    });
    return found;
  }

  /** These records as they are in files, without those that were trimmed meanwhile. */
  async read(ids: readonly number[]): Promise<Map<number, TailRecord>> {
    const found = new Map<number, TailRecord>();
    await this.#look(ids, (lines, { segment, place, ids: wanted }) => {
      const { first } = segment.blocks[place]!;
      for (const id of wanted) {
        const line = lineOf(lines, id, id - first);
        if (line) found.set(...recordOf(line.toString()));
      }
    });
    return found;
  }

  async #look(ids: readonly number[], take: (lines: Lines, place: Place) => void): Promise<void> {
    const wanted = this.#placesOf(ids);
    for (let n = 0; n < wanted.length; n += AT_ONCE) {
      await Promise.all(wanted.slice(n, n + AT_ONCE).map((place) => this.#lookAt(place, take)));
    }
  }

  /** The blocks that hold these records. */
  #placesOf(ids: readonly number[]): Place[] {
    const wanted = new Map<Block, Place>();
    for (const id of ids) {
      const segment = this.#segmentOf(id);
      if (!segment) continue;
      const place = blockOf(segment.blocks, id);
      const block = segment.blocks[place]!;
      const known = wanted.get(block);
      if (known) known.ids.push(id);
      else wanted.set(block, { segment, place, ids: [id] });
    }
    return [...wanted.values()];
  }

  #segmentOf(id: number): Segment | undefined {
    const segment = this.#segments.findLast(({ first }) => first <= id);
    return segment && id <= segment.last ? segment : undefined;
  }

  async #lookAt(wanted: Place, take: (lines: Lines, place: Place) => void): Promise<void> {
    try {
      take(await this.#block(wanted), wanted);
    } catch (error) {
      // All of it was trimmed, and the file is gone.
      if (this.#segments.includes(wanted.segment)) throw error;
    }
  }

  async #block({ segment, place }: Place): Promise<Lines> {
    const { number, blocks, bytes } = segment;
    const { first, at } = blocks[place]!;
    const name = nameOf(segment, first);
    const known = this.#kept.blocks.get(name);
    if (known) return known;
    const path = this.#files.segment(number);
    const end = blocks[place + 1]?.at ?? bytes;
    const lines = payloadOf(this.#files, path, at, await this.#opened.read(path, end - at, at));
    this.#kept.blocks.keep(name, lines);
    return lines;
  }
}

/** The payload of a block as it was read. */
export function payloadOf(files: Files, path: string, at: number, bytes: Buffer): Lines {
  const frame = decodeFrame(bytes, 0);
  if (!frame) throw files.corrupt(path, `is damaged at byte ${at}`);
  return frame.payload;
}

function nameOf({ number, first }: Segment, id: number): number {
  return number * RECORDS_PER_SEGMENT + (id - first);
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
