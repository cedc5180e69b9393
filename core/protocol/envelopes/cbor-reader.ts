import { plainBytes } from '../../platform/bytes.ts';

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the deterministic CBOR of RFC 8949, item by item, as the caller expects them: shortest heads, definite
 * lengths, valid UTF-8. It does not throw. The first thing that does not fit sets `problem`; from then on every read
 * yields nothing (0, no bytes, an empty text), so a decoder reads straight through and asks once, at `end`.
 */
export class CborReader {
  problem: string | undefined;
  readonly #bytes: Uint8Array;
  #at = 0;
  // The argument of the head read last, in two halves of 32 bits.
  #high = 0;
  #low = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = plainBytes(bytes);
  }

  /** A whole number from 0 to `max`. */
  uint(max: number, what: string): number {
    if (!this.#head(UNSIGNED, what)) return 0;
    return this.#within(max, what);
  }

  /** A whole number from 0 to `max`, for amounts. */
  bigUint(max: bigint, what: string): bigint {
    if (!this.#head(UNSIGNED, what)) return 0n;
    const value = (BigInt(this.#high) << 32n) | BigInt(this.#low);
    if (value <= max) return value;
    this.#fail(`${what} is above ${max}`);
    return 0n;
  }

  /** A whole number from `-limit` to `limit`. */
  int(limit: number, what: string): number {
    if (this.#peek() >> 5 !== NEGATIVE) return this.uint(limit, what);
    if (!this.#head(NEGATIVE, what)) return 0;
    return -1 - this.#within(limit - 1, what);
  }

  boolean(what: string): boolean {
    const byte = this.#peek();
    if (byte !== FALSE && byte !== TRUE) {
      this.#fail(`${what} is not true or false`);
      return false;
    }
    this.#at += 1;
    return byte === TRUE;
  }

  /** The value that `read` reads, or undefined in place of a null. */
  optional<T>(read: () => T): T | undefined {
    if (this.#peek() !== NULL) return read();
    this.#at += 1;
    return undefined;
  }

  /** Exactly `length` bytes, as a view of the input. */
  bytes(length: number, what: string): Uint8Array {
    if (!this.#head(BYTES, what)) return NO_BYTES;
    if (this.#high === 0 && this.#low === length) return this.#take(length, what);
    this.#fail(`${what} is not ${length} bytes`);
    return NO_BYTES;
  }

  /** At most `max` bytes, as a view of the input. */
  bytesUpTo(max: number, what: string): Uint8Array {
    return this.#head(BYTES, what) ? this.#take(this.#within(max, what), what) : NO_BYTES;
  }

  /** A text of at most `max` bytes of UTF-8. */
  text(max: number, what: string): string {
    if (!this.#head(TEXT, what)) return '';
    const bytes = this.#take(this.#within(max, what), what);
    try {
      return utf8.decode(bytes);
    } catch {
      this.#fail(`${what} is not UTF-8`);
      return '';
    }
  }

  /** The head of an array of exactly `length` items. */
  array(length: number, what: string): void {
    if (this.#head(ARRAY, what) && (this.#high !== 0 || this.#low !== length)) {
      this.#fail(`${what} is not an array of ${length}`);
    }
  }

  /** The head of an array of at most `max` items, and how many it has: 0 after a problem. */
  arrayUpTo(max: number, what: string): number {
    return this.#head(ARRAY, what) ? this.#within(max, what) : 0;
  }

  /** Notes that the caller cannot use the value it read; the first problem stays. */
  refuse(problem: string): undefined {
    this.problem ??= problem;
  }

  /** Nothing may follow. Returns the problem, if there was one. */
  end(): string | undefined {
    if (this.problem === undefined && this.#at !== this.#bytes.length) this.problem = 'bytes follow the last item';
    return this.problem;
  }

  #peek(): number {
    return this.#bytes[this.#at] ?? -1;
  }

  /** Reads a head of this major type; its argument goes to `#high` and `#low`. */
  #head(major: number, what: string): boolean {
    if (this.problem !== undefined) return false;
    const first = this.#peek();
    if (first === -1) return this.#fail(`${what} is missing`);
    if (first >> 5 !== major) return this.#fail(`${what} has another type`);
    const info = first & 31;
    this.#at += 1;
    this.#high = 0;
    if (info < 24) {
      this.#low = info;
      return true;
    }
    if (info > 27) return this.#fail(`${what} has no definite length`);
    const size = 1 << (info - 24);
    if (this.#at + size > this.#bytes.length) return this.#fail(`${what} is cut`);
    if (size === 8) this.#high = this.#read(4);
    this.#low = this.#read(Math.min(size, 4));
    if (this.#isShortest(size)) return true;
    return this.#fail(`${what} is not in its shortest form`);
  }

  #isShortest(size: number): boolean {
    if (size === 8) return this.#high > 0;
    return this.#low >= (size === 1 ? 24 : size === 2 ? 0x100 : 0x1_0000);
  }

  #read(size: number): number {
    let value = 0;
    for (let index = 0; index < size; index += 1) value = value * 256 + this.#bytes[this.#at + index]!;
    this.#at += size;
    return value;
  }

  #within(max: number, what: string): number {
    const value = this.#high * 0x1_0000_0000 + this.#low;
    if (value <= max) return value;
    this.#fail(`${what} is above ${max}`);
    return 0;
  }

  #take(length: number, what: string): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) {
      this.#fail(`${what} is cut`);
      return NO_BYTES;
    }
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #fail(problem: string): false {
    this.problem ??= problem;
    return false;
  }
}
