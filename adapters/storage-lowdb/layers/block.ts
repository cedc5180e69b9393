import { crc32 } from 'node:zlib';
import { type Item, StoredItem } from './run.ts';

/**
 * Some items of a run as bytes: checksum of all that follows (4), number of items (4), per item where its key and its
 * payload begin (4 + 4), per item its sign (1), then keys and payloads one after the other. Little-endian.
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
    const bytes = this.#bytes;
    const payload = bytes.readUInt32LE(12 + 8 * place);
    const end = place + 1 < this.count ? bytes.readUInt32LE(16 + 8 * place) : bytes.length;
    return new StoredItem(this.key(place), this.#sign(place), bytes.subarray(payload, end));
  }

  key(place: number): string {
    const from = this.#bytes.readUInt32LE(8 + 8 * place);
    return this.#bytes.toString('latin1', from, this.#bytes.readUInt32LE(12 + 8 * place));
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

  /** The sum of the signs of the items in front of a place. */
  sumBefore(place: number): number {
    let sum = 0;
    for (let i = 0; i < place; i++) sum += this.#sign(i);
    return sum;
  }

  #sign(place: number): number {
    return this.#bytes.readInt8(8 + 8 * this.count + place);
  }
}

/** Collects the items of one block. */
export class BlockWriter {
  #items: { readonly key: string; readonly sign: number; readonly payload: Buffer }[] = [];
  /** About how long the block is. */
  bytes = 0;
  sum = 0;

  get count(): number {
    return this.#items.length;
  }

  get firstKey(): string {
    return this.#items[0]!.key;
  }

  add(key: string, sign: number, payload: Buffer): void {
    this.#items.push({ key, sign, payload });
    this.bytes += key.length + payload.length + 9;
    this.sum += sign;
  }

  /** The block, and an empty writer after it. */
  take(): Buffer {
    const items = this.#items;
    const bytes = Buffer.allocUnsafe(this.bytes + 8);
    bytes.writeUInt32LE(items.length, 4);
    let at = 8 + 9 * items.length;
    for (const [i, { key, sign, payload }] of items.entries()) {
      bytes.writeUInt32LE(at, 8 + 8 * i);
      at += bytes.write(key, at, 'latin1');
      bytes.writeUInt32LE(at, 12 + 8 * i);
      at += payload.copy(bytes, at);
      bytes.writeInt8(sign, 8 + 8 * items.length + i);
    }
    bytes.writeUInt32LE(crc32(bytes.subarray(4)), 0);
    this.#items = [];
    this.bytes = 0;
    this.sum = 0;
    return bytes;
  }
}
