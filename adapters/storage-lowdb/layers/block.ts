import { crc32 } from 'node:zlib';
import { type Document, mostBytesOf, StoredDocument, writeDocument } from './document.ts';
import { type Item, StoredItem } from './run.ts';

/**
 * Some items of a run as bytes: checksum of all that follows (4), number of items (4), per item where its key and its
 * payload begin (4 + 4), per item its delta (1), then keys and payloads one after the other. Little-endian.
 */
export class Block {
  readonly count: number;
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.count = bytes.readUInt32LE(4);
  }

  /** Undefined when the bytes are damaged. */
  static read(bytes: Buffer): Block | undefined {
    if (bytes.length < 8 || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) return undefined;
    return new Block(bytes);
  }

  get bytes(): number {
    return this.#bytes.length;
  }

  item(place: number): Item {
    return new StoredItem(this.key(place), this.delta(place), this, place);
  }

  key(place: number): string {
    return this.#bytes.toString('latin1', this.#keyAt(place), this.#payloadAt(place));
  }

  delta(place: number): number {
    return this.#bytes.readInt8(8 + 8 * this.count + place);
  }

  hasPayload(place: number): boolean {
    return this.#payloadAt(place) < this.#end(place);
  }

  document(place: number): Document | undefined {
    const from = this.#payloadAt(place);
    const end = this.#end(place);
    return from === end ? undefined : new StoredDocument(this.#bytes, from, end);
  }

  /** Key and payload of an item. */
  itemBytes(place: number): Buffer {
    return this.#bytes.subarray(this.#keyAt(place), this.#end(place));
  }

  /** The place of the first item that is not below a key. */
  lowerBound(key: string): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.key(middle) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The sum of the deltas of the items in front of a place. */
  sumBefore(place: number): number {
    let sum = 0;
    for (let i = 0; i < place; i++) sum += this.delta(i);
    return sum;
  }

  #keyAt(place: number): number {
    return this.#bytes.readUInt32LE(8 + 8 * place);
  }

  #payloadAt(place: number): number {
    return this.#bytes.readUInt32LE(12 + 8 * place);
  }

  #end(place: number): number {
    return place + 1 < this.count ? this.#keyAt(place + 1) : this.#bytes.length;
  }
}

const ROOM = 32 * 1024;
const HEAD_BYTES = 8;
/** Of an item, beside its key and payload. */
const ITEM_BYTES = 9;

/** Collects the items of one block. */
export class BlockWriter {
  /** Keys and payloads, one after the other. */
  #body = Buffer.allocUnsafe(ROOM);
  #at = 0;
  /** Where the key and the payload of each item begin in the body. */
  #places: number[] = [];
  #deltas: number[] = [];
  firstKey = '';
  sum = 0;

  get count(): number {
    return this.#deltas.length;
  }

  /** How many bytes the block has. */
  get length(): number {
    return HEAD_BYTES + ITEM_BYTES * this.#deltas.length + this.#at;
  }

  add(key: string, delta: number, document: Document | undefined): void {
    this.#reserve(key.length + (document ? mostBytesOf(document) : 0));
    this.#note(key, delta);
    this.#body.write(key, this.#at, 'latin1');
    this.#at += key.length;
    if (document) this.#at = writeDocument(document, this.#body, this.#at);
  }

  /** An item of another block, under its key; the delta may be another one. */
  copy(key: string, delta: number, block: Block, place: number): void {
    const bytes = block.itemBytes(place);
    this.#reserve(bytes.length);
    this.#note(key, delta);
    this.#body.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Writes the block where there are `length` bytes for it, gives its end, and is empty after it. */
  take(to: Buffer, at: number): number {
    const end = at + this.length;
    const count = this.#deltas.length;
    const body = at + HEAD_BYTES + ITEM_BYTES * count;
    to.writeUInt32LE(count, at + 4);
    for (let i = 0; i < this.#places.length; i++)
      to.writeUInt32LE(body - at + this.#places[i]!, at + HEAD_BYTES + 4 * i);
    for (let i = 0; i < count; i++) to.writeInt8(this.#deltas[i]!, at + HEAD_BYTES + 8 * count + i);
    this.#body.copy(to, body, 0, this.#at);
    to.writeUInt32LE(crc32(to.subarray(at + 4, end)), at);
    this.#at = 0;
    this.#places.length = 0;
    this.#deltas.length = 0;
    this.sum = 0;
    return end;
  }

  #note(key: string, delta: number): void {
    if (this.#deltas.length === 0) this.firstKey = key;
    this.#places.push(this.#at, this.#at + key.length);
    this.#deltas.push(delta);
    this.sum += delta;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#body.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#at + bytes));
    this.#body.copy(grown, 0, 0, this.#at);
    this.#body = grown;
  }
}
