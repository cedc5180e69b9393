import type { OpenFile } from '../disk.ts';
import { type Block, BlockWriter } from './block.ts';
import { Bloom, hashKey } from './bloom.ts';
import type { Document } from './document.ts';
import { encodeTrailer, type RunNote } from './layer-file.ts';

const BLOCK_BYTES = 16 * 1024;
/** Written at once; more is copied in one turn of the event loop than others should wait for. */
const BUFFER_BYTES = 128 * 1024;
/** The last block may go beyond that. */
const ROOM = BUFFER_BYTES + 64 * 1024;
const OUTLINE_BYTES = 16 * 1024;
/** Of a block in the outline, beside its first key. */
const NOTE_BYTES = 12;

/** Writes a layer's file from the beginning: runs one after the other, each in the order of its keys. */
export class LayerWriter {
  readonly #file: OpenFile;
  readonly #notes: RunNote[] = [];
  readonly #tail: Buffer[] = [];
  readonly #block = new BlockWriter();
  /** Of the blocks of a run, one after the other. */
  #outline: Buffer = Buffer.allocUnsafe(OUTLINE_BYTES);
  #outlineBytes = 0;
  #blocks = 0;
  #size = 0;
  #bloom: Bloom | undefined;
  /**
   * Blocks that are to be written, in memory that is used again: new memory for each of the blocks of a large store would have the
   * whole heap collected again and again.
   */
  #ready: Buffer = Buffer.allocUnsafeSlow(ROOM);
  #readyBytes = 0;
  #position = 0;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  /** Begins a run of at most so many keys; with a filter when keys are looked up in it that may not be there. */
  begin(keys: number, filtered: boolean): void {
    this.#outlineBytes = 0;
    this.#blocks = 0;
    this.#size = 0;
    this.#bloom = filtered ? Bloom.for(keys) : undefined;
  }

  /** Whether enough has come together to be written. */
  get isFull(): boolean {
    return this.#readyBytes >= BUFFER_BYTES;
  }

  add(key: string, delta: number, document: Document | undefined): void {
    this.#block.add(key, delta, document);
    this.#added(key);
  }

  /** An item that another layer has in a block. */
  copy(key: string, delta: number, block: Block, place: number): void {
    this.#block.copy(key, delta, block, place);
    this.#added(key);
  }

  /** Notes the run, unless nothing is in it. */
  end(name: string): void {
    if (this.#block.count > 0) this.#endBlock();
    if (this.#size === 0) return;
    const outline = Buffer.from(this.#outline.subarray(0, this.#outlineBytes));
    const bloom = this.#bloom?.bytes ?? Buffer.alloc(0);
    this.#notes.push({
      name,
      blocks: this.#blocks,
      size: this.#size,
      outlineBytes: outline.length,
      bloomBytes: bloom.length,
    });
    this.#tail.push(outline, bloom);
  }

  async flush(): Promise<void> {
    const bytes = this.#ready.subarray(0, this.#readyBytes);
    this.#readyBytes = 0;
    await this.#write(bytes);
  }

  /** Makes the file durable; gives its length. */
  async finish(): Promise<number> {
    const notes = Buffer.from(JSON.stringify(this.#notes));
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(notes.length);
    const footer = Buffer.concat([length, notes, ...this.#tail]);
    await this.flush();
    const trailer = encodeTrailer(footer, this.#position);
    await this.#write(footer);
    await this.#write(trailer);
    await this.#file.datasync();
    return this.#position;
  }

  #added(key: string): void {
    this.#bloom?.add(hashKey(key));
    this.#size++;
    if (this.#block.length >= BLOCK_BYTES) this.#endBlock();
  }

  #endBlock(): void {
    const { firstKey, sum, length } = this.#block;
    const at = this.#outlineBytes;
    this.#outlineBytes += NOTE_BYTES + firstKey.length;
    this.#outline = withRoom(this.#outline, at, this.#outlineBytes);
    this.#outline.writeUInt32LE(length, at);
    this.#outline.writeInt32LE(sum, at + 4);
    this.#outline.writeUInt32LE(firstKey.length, at + 8);
    this.#outline.write(firstKey, at + NOTE_BYTES, 'latin1');
    this.#blocks++;
    this.#ready = withRoom(this.#ready, this.#readyBytes, this.#readyBytes + length);
    this.#readyBytes = this.#block.take(this.#ready, this.#readyBytes);
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#file.write(bytes, this.#position);
    this.#position += bytes.length;
  }
}

/** Memory of at least so many bytes, with the first ones of this memory in it. */
function withRoom(memory: Buffer, used: number, bytes: number): Buffer {
  if (bytes <= memory.length) return memory;
  const grown = Buffer.allocUnsafeSlow(2 * bytes);
  memory.copy(grown, 0, 0, used);
  return grown;
}
