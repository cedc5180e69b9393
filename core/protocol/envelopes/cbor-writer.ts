import { putUint32 } from '../../platform/bytes.ts';

/** Writes the deterministic CBOR that `CborReader` reads. Values are the caller's and already checked. */
export class CborWriter {
  #bytes: Uint8Array;
  #at = 0;

  /** `capacity` is a guess that saves copies; the writer grows. */
  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** 0 … 2^53 - 1. */
  uint(value: number): void {
    this.#head(0, value);
  }

  /** 0 … 2^64 - 1. */
  bigUint(value: bigint): void {
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.uint(Number(value));
      return;
    }
    this.#reserve(9);
    this.#bytes[this.#at] = 27;
    putUint32(this.#bytes, this.#at + 1, Number(value >> 32n));
    putUint32(this.#bytes, this.#at + 5, Number(value & 0xffff_ffffn));
    this.#at += 9;
  }

  int(value: number): void {
    if (value < 0) this.#head(1, -1 - value);
    else this.#head(0, value);
  }

  boolean(value: boolean): void {
    this.#byte(value ? 0xf5 : 0xf4);
  }

  /** Writes the value with `write`, or a null in place of undefined. */
  optional<T>(value: T | undefined, write: (value: T) => void): void {
    if (value === undefined) this.#byte(0xf6);
    else write(value);
  }

  bytes(value: Uint8Array): void {
    this.#head(2, value.length);
    this.#raw(value);
  }

  text(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    this.#head(3, bytes.length);
    this.#raw(bytes);
  }

  /** The head of an array whose `length` items follow. */
  array(length: number): void {
    this.#head(4, length);
  }

  /** The written bytes, as a view. The writer must not be used afterwards. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #head(major: number, value: number): void {
    this.#reserve(9);
    const bytes = this.#bytes;
    const at = this.#at;
    const type = major << 5;
    if (value < 24) {
      bytes[at] = type | value;
      this.#at = at + 1;
    } else if (value < 0x100) {
      bytes[at] = type | 24;
      bytes[at + 1] = value;
      this.#at = at + 2;
    } else if (value < 0x1_0000) {
      bytes[at] = type | 25;
      bytes[at + 1] = value >>> 8;
      bytes[at + 2] = value;
      this.#at = at + 3;
    } else if (value < 0x1_0000_0000) {
      bytes[at] = type | 26;
      putUint32(bytes, at + 1, value);
      this.#at = at + 5;
    } else {
      bytes[at] = type | 27;
      putUint32(bytes, at + 1, Math.floor(value / 0x1_0000_0000));
      putUint32(bytes, at + 5, value % 0x1_0000_0000);
      this.#at = at + 9;
    }
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at] = value;
    this.#at += 1;
  }

  #raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  #reserve(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
