const hex = sliceAs('hex');
const base64 = sliceAs('base64');
const latin1 = sliceAs('latin1');

/** Plain bytes: a view that is never a Buffer, so that `slice` copies and equal values compare equal. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Plain bytes with anything in them, to be written over in full. Short ones are cut from Node's pool: memory of their
 * own costs several times as much, and the garbage collector keeps account of it. Not for bytes that are kept for
 * long.
 */
export function freshBytes(length: number): Uint8Array {
  return plainBytes(Buffer.allocUnsafe(length));
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && Buffer.compare(left, right) === 0;
}

export function isZero(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== 0) return false;
  return true;
}

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return hex.call(bytes, 0, bytes.length);
}

/** The bytes of hex digits of either case; undefined unless they are exactly `length` bytes. */
export function fromHex(text: string, length: number): Uint8Array | undefined {
  if (text.length !== 2 * length || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  return new Uint8Array(Buffer.from(text, 'hex'));
}

export function toBase64(bytes: Uint8Array): string {
  return base64.call(bytes, 0, bytes.length);
}

/** The bytes of padded standard base64; undefined when the text is not exactly what `toBase64` would write. */
export function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? plainBytes(bytes) : undefined;
}

/** A string with one character per byte: a cheap map key. */
export function binaryString(bytes: Uint8Array): string {
  return latin1.call(bytes, 0, bytes.length);
}

/** Writes `value` (0 … 2^32 - 1) big-endian. */
export function putUint32(target: Uint8Array, at: number, value: number): void {
  target[at] = value >>> 24;
  target[at + 1] = value >>> 16;
  target[at + 2] = value >>> 8;
  target[at + 3] = value;
}

/** Writes `value` (0 … 2^53 - 1) as eight bytes, big-endian. */
export function putUint64(target: Uint8Array, at: number, value: number): void {
  putUint32(target, at, Math.floor(value / 0x1_0000_0000));
  putUint32(target, at + 4, value % 0x1_0000_0000);
}

type Slice = (this: Uint8Array, start: number, end: number) => string;

/**
 * The method with which a Buffer writes text. It takes any bytes; a Buffer over them first would be half of the cost.
 */
function sliceAs(encoding: 'hex' | 'base64' | 'latin1'): Slice {
  const own = (Buffer.prototype as unknown as Record<string, Slice | undefined>)[`${encoding}Slice`];
  return own ?? viewAs;

  function viewAs(this: Uint8Array): string {
    return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString(encoding);
  }
}
