import type { OpenFile } from '../disk.ts';
import { type Block, BlockWriter } from './block.ts';
import { Bloom, hashKey } from './bloom.ts';
import type { Document } from './document.ts';
import { encodeTrailer, type RunNote } from './layer-file.ts';

const BLOCK_BYTES = 16 * 1024;
/** Written at once; more is copied in one turn of the event loop than others should wait for. */
const BUFFER_BYTES = 128 * 1024;

/** Writes a layer's file from the beginning: runs one after the other, each in the order of its keys. */
export class LayerWriter {
  readonly #file: OpenFile;
  readonly #notes: RunNote[] = [];
  readonly #tail: Buffer[] = [];
  readonly #block = new BlockWriter();
  #outline: Buffer[] = [];
  #size = 0;
  #bloom: Bloom | undefined;
  #ready: Buffer[] = [];
  #readyBytes = 0;
  #position = 0;

  constructor(file: OpenFile) {
    this.#file = file;
  }

  /** Begins a run of at most so many keys; with a filter when keys are looked up in it that may not be there. */
  begin(keys: number, filtered: boolean): void {
    this.#outline = [];
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
    const outline = Buffer.concat(this.#outline);
    const bloom = this.#bloom?.bytes ?? Buffer.alloc(0);
    this.#notes.push({
      name,
      blocks: this.#outline.length,
      size: this.#size,
      outlineBytes: outline.length,
      bloomBytes: bloom.length,
    });
    this.#tail.push(outline, bloom);
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#ready);
    this.#ready = [];
    this.#readyBytes = 0;
    await this.#file.write(bytes, this.#position);
    this.#position += bytes.length;
  }

  /** Makes the file durable; gives its length. */
  async finish(): Promise<number> {
    const notes = Buffer.from(JSON.stringify(this.#notes));
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(notes.length);
    const footer = Buffer.concat([length, notes, ...this.#tail]);
    const position = this.#position + this.#readyBytes;
    this.#push(footer);
    this.#push(encodeTrailer(footer, position));
    await this.flush();
    await this.#file.datasync();
    return this.#position;
  }

  #added(key: string): void {
    this.#bloom?.add(hashKey(key));
    this.#size++;
    if (this.#block.bytes >= BLOCK_BYTES) this.#endBlock();
  }

  #endBlock(): void {
    const { firstKey, sum } = this.#block;
    const bytes = this.#block.take();
    const key = Buffer.from(firstKey, 'latin1');
    const head = Buffer.allocUnsafe(12);
    head.writeUInt32LE(bytes.length, 0);
    head.writeInt32LE(sum, 4);
    head.writeUInt32LE(key.length, 8);
    this.#outline.push(Buffer.concat([head, key]));
    this.#push(bytes);
  }

  #push(bytes: Buffer): void {
    this.#ready.push(bytes);
    this.#readyBytes += bytes.length;
  }
}
