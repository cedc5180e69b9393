import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../../core/storage/adapter.ts';
import type { OpenFile } from '../disk.ts';
import type { Files } from '../files.ts';
import { Block } from './block.ts';
import type { BlockCache, BlockSource } from './block-cache.ts';
import { Bloom } from './bloom.ts';
import { FileRun, type Outline } from './file-run.ts';
import type { Layer } from './run.ts';

/** The entry of a layer's file in a snapshot. */
export interface LayerNote {
  readonly number: number;
  readonly bytes: number;
}

/** The entry of a run in the footer; its outline and its filter follow as bytes. */
export interface RunNote {
  readonly name: string;
  readonly blocks: number;
  readonly size: number;
  readonly outlineBytes: number;
  readonly bloomBytes: number;
}

const MAGIC = Buffer.from('AML1');
/** Blocks whose first keys are read before other work has a turn. */
const AT_ONCE = 512;
export const TRAILER_BYTES = 24;

/**
 * The end of a layer's file: `AML1`, the checksum of the footer (4), its position (8, a double), its length (4), and
 * the checksum of these 20 bytes (4). The footer is the length of a JSON text (4), that text, a `RunNote` per run, and
 * per run its outline and its filter. In front of it are the blocks of the runs, without gaps.
 */
export function encodeTrailer(footer: Buffer, position: number): Buffer {
  const bytes = Buffer.allocUnsafe(TRAILER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(crc32(footer), 4);
  bytes.writeDoubleLE(position, 8);
  bytes.writeUInt32LE(footer.length, 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 20)), 20);
  return bytes;
}

let lastId = 0;

/** A layer in a file that does not change any more. */
export class FileLayer implements Layer, BlockSource {
  readonly id = ++lastId;
  readonly note: LayerNote;
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #files: Files;
  readonly #cache: BlockCache;
  readonly #runs = new Map<string, FileRun>();
  /** Where each block begins, and where the last one ends. */
  #starts = new Float64Array(1);
  #reading = 0;
  #retired = false;
  #ended = false;
  #closed = false;

  private constructor(files: Files, note: LayerNote, file: OpenFile, cache: BlockCache) {
    this.note = note;
    this.#files = files;
    this.#path = files.layer(note.number);
    this.#file = file;
    this.#cache = cache;
  }

  /** Rejects when the file is not the one the snapshot means, or the part of it that is read now is damaged. */
  static async open(files: Files, note: LayerNote, cache: BlockCache): Promise<FileLayer> {
    const path = files.layer(note.number);
    const size = await files.disk.size(path);
    if (size === undefined) throw files.corrupt(path, 'is missing');
    if (size !== note.bytes) throw files.corrupt(path, `has ${size} bytes instead of ${note.bytes}`);
    const layer = new FileLayer(files, note, await files.disk.open(path, 'r'), cache);
    try {
      await layer.#readFooter();
    } catch (error) {
      await layer.#file.close();
      throw error;
    }
    return layer;
  }

  get retired(): boolean {
    return this.#retired;
  }

  run(name: string): FileRun | undefined {
    return this.#runs.get(name);
  }

  names(): string[] {
    return [...this.#runs.keys()];
  }

  /** How many there are. */
  get blocks(): number {
    return this.#starts.length - 1;
  }

  /** Bytes of blocks that follow each other. */
  bytesOf(first: number, count: number): number {
    return this.#starts[first + count]! - this.#starts[first]!;
  }

  async load(block: number): Promise<Block> {
    const [loaded] = await this.loadMany(block, 1);
    return loaded!;
  }

  /** Blocks that follow each other, with one read; good until the memory that is given for them is used again. */
  async loadMany(first: number, count: number, into?: Buffer): Promise<Block[]> {
    if (this.#ended) throw new StorageError('closed', 'the store is closed');
    this.#reading++;
    try {
      const from = this.#starts[first]!;
      const bytes = await this.#file.read(this.#starts[first + count]! - from, from, into);
      return Array.from({ length: count }, (_, i) => {
        const at = this.#starts[first + i]!;
        const block = Block.read(bytes.subarray(at - from, this.#starts[first + i + 1]! - from));
        if (!block) throw this.#files.corrupt(this.#path, `is damaged at byte ${at}`);
        return block;
      });
    } finally {
      this.#reading--;
      if (this.#ended) await this.#closeWhenIdle();
    }
  }

  /**
   * Another layer holds the same keys: the file is closed as soon as no read uses it, and later reads go to that
   * layer.
   */
  async retire(): Promise<void> {
    this.#retired = true;
    this.#cache.drop(this);
    await this.close();
  }

  async close(): Promise<void> {
    this.#ended = true;
    await this.#closeWhenIdle();
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#reading > 0 || this.#closed) return;
    this.#closed = true;
    await this.#file.close();
  }

  async #readFooter(): Promise<void> {
    const end = this.note.bytes - TRAILER_BYTES;
    const trailer = await this.#file.read(TRAILER_BYTES, Math.max(0, end));
    const isWhole = trailer.length === TRAILER_BYTES && trailer.readUInt32LE(20) === crc32(trailer.subarray(0, 20));
    if (!isWhole || !trailer.subarray(0, 4).equals(MAGIC))
      throw this.#files.corrupt(this.#path, `is damaged at byte ${Math.max(0, end)}`);
    const position = trailer.readDoubleLE(8);
    const footer = await this.#file.read(trailer.readUInt32LE(16), position);
    if (crc32(footer) !== trailer.readUInt32LE(4))
      throw this.#files.corrupt(this.#path, `is damaged at byte ${position}`);
    const notesEnd = 4 + footer.readUInt32LE(0);
    const notes = JSON.parse(footer.toString('utf8', 4, notesEnd)) as RunNote[];
    this.#starts = new Float64Array(notes.reduce((sum, { blocks }) => sum + blocks, 0) + 1);
    let at = notesEnd;
    let firstBlock = 0;
    for (const note of notes) {
      const outline = await this.#readOutline(footer.subarray(at, at + note.outlineBytes), note, firstBlock);
      at += note.outlineBytes;
      const bloom = note.bloomBytes > 0 ? new Bloom(Buffer.from(footer.subarray(at, at + note.bloomBytes))) : undefined;
      at += note.bloomBytes;
      this.#runs.set(note.name, new FileRun({ ...outline, bloom }, this, this.#cache));
      firstBlock += note.blocks;
    }
  }

  async #readOutline(bytes: Buffer, { blocks, size }: RunNote, firstBlock: number): Promise<Omit<Outline, 'bloom'>> {
    const sums = new Float64Array(blocks + 1);
    const firstKeys: string[] = [];
    for (let i = 0, at = 0; i < blocks; i++) {
      if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
      const keyBytes = bytes.readUInt32LE(at + 8);
      this.#starts[firstBlock + i + 1] = this.#starts[firstBlock + i]! + bytes.readUInt32LE(at);
      sums[i + 1] = sums[i]! + bytes.readInt32LE(at + 4);
      firstKeys.push(bytes.toString('latin1', at + 12, at + 12 + keyBytes));
      at += 12 + keyBytes;
    }
    return { firstBlock, firstKeys, sums, size };
  }
}
