import { crc32 } from 'node:zlib';

/**
 * Every file of the store is a row of frames: 20 bytes of header, then the payload.
 *
 * | bytes | field                                                              |
 * | ----- | ------------------------------------------------------------------ |
 * | 0–3   | `AMF1`                                                             |
 * | 4–7   | length of the payload                                              |
 * | 8–15  | number of the frame                                                |
 * | 16–19 | CRC-32 of bytes 0–15 and the payload                               |
 *
 * Numbers are little-endian. A payload is lines of text without NUL: so no payload can contain a whole frame.
 */
export interface Frame {
  readonly number: number;
  readonly payload: Buffer;
  /** The position behind the frame. */
  readonly end: number;
}

export const HEADER_BYTES = 20;
const MAGIC = Buffer.from('AMF1');
/** Beyond this, a length is damage. */
export const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024;

export function encodeFrame(number: number, payload: string): Buffer {
  const length = Buffer.byteLength(payload);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.write(payload, HEADER_BYTES);
  return fillIn(frame, number);
}

/** Writes the header of a frame whose payload is there. */
function fillIn(frame: Buffer, number: number): Buffer {
  MAGIC.copy(frame);
  frame.writeUInt32LE(frame.length - HEADER_BYTES, 4);
  frame.writeBigUInt64LE(BigInt(number), 8);
  frame.writeUInt32LE(checksum(frame, 0, frame.length), 16);
  return frame;
}

const ROOM = 64 * 1024;
/** More is not kept for the next frame. */
const MOST_KEPT = 4 * 1024 * 1024;

/** A frame that is made line by line, without a text of all of it; the memory is used again for the next one. */
export class FrameBuilder {
  #bytes = Buffer.allocUnsafe(ROOM);
  #at = HEADER_BYTES;

  line(text: string): void {
    const most = this.#at + 3 * text.length + 1;
    if (most > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(2 * most);
      this.#bytes.copy(grown, 0, 0, this.#at);
      this.#bytes = grown;
    }
    this.#at += this.#bytes.write(text, this.#at);
    this.#bytes[this.#at++] = 0x0a;
  }

  /** The frame, good until the next line; the builder is empty after it. */
  finish(number: number): Buffer {
    const frame = fillIn(this.#bytes.subarray(0, this.#at), number);
    if (this.#bytes.length > MOST_KEPT) this.#bytes = Buffer.allocUnsafe(ROOM);
    this.#at = HEADER_BYTES;
    return frame;
  }
}

/** The frame that begins at this position; undefined when there is no whole and undamaged one. */
export function decodeFrame(bytes: Buffer, at: number): Frame | undefined {
  const length = payloadLength(bytes, at);
  if (length === undefined) return undefined;
  const end = at + HEADER_BYTES + length;
  if (end > bytes.length || bytes.readUInt32LE(at + 16) !== checksum(bytes, at, end)) return undefined;
  return { number: Number(bytes.readBigUInt64LE(at + 8)), payload: bytes.subarray(at + HEADER_BYTES, end), end };
}

/** The payload length that a header claims; undefined when there is no header. */
export function payloadLength(bytes: Buffer, at: number): number | undefined {
  if (at + HEADER_BYTES > bytes.length || !bytes.subarray(at, at + 4).equals(MAGIC)) return undefined;
  const length = bytes.readUInt32LE(at + 4);
  return length <= MAX_PAYLOAD_BYTES ? length : undefined;
}

/**
 * Whether the rest of a file may be one frame that was being written when the power went: the end of it, or sectors of
 * it, were never filled in, and no whole frame follows. A frame that is there from end to end was damaged later, as a
 * payload holds no NUL: it may have been acknowledged, and cutting it off would lose it without a word.
 */
export function mayBeTorn(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  for (let next = rest.indexOf(MAGIC, 1); next >= 0; next = rest.indexOf(MAGIC, next + 1)) {
    if (decodeFrame(rest, next)) return false;
  }
  // No more than a header: of a frame of which nothing else came, or the empty one that a clean end leaves.
  const start = rest.subarray(0, MAGIC.length);
  if (rest.length <= HEADER_BYTES) return start.every((byte, i) => mayBecome(byte, MAGIC[i]!));
  if (rest[0] === 0 || rest.at(-1) === 0) return start.every((byte, i) => byte === MAGIC[i] || byte === 0);
  if (!start.equals(MAGIC)) return false;
  if (rest.includes(UNFILLED, HEADER_BYTES)) return true;
  return HEADER_BYTES + rest.readUInt32LE(4) > rest.length && !hasFlippedLength(rest);
}

const UNFILLED = Buffer.alloc(2);

/** Whether a byte is the one that is due, was not filled in, or differs from it in one bit. */
function mayBecome(byte: number, due: number): boolean {
  const differing = byte ^ due;
  return byte === 0 || (differing & (differing - 1)) === 0;
}

/** Whether these bytes are a whole frame but for its length. */
function hasFlippedLength(bytes: Buffer): boolean {
  const mended = Buffer.from(bytes);
  mended.writeUInt32LE(bytes.length - HEADER_BYTES, 4);
  return decodeFrame(mended, 0) !== undefined;
}

export function* linesOf(payload: Buffer): Generator<any> {
  for (const line of payload.toString().split('\n')) if (line) yield JSON.parse(line);
}

function checksum(bytes: Buffer, from: number, end: number): number {
  return crc32(bytes.subarray(from + HEADER_BYTES, end), crc32(bytes.subarray(from, from + 16)));
}
