import { createHash } from 'node:crypto';

// Textbook Ed25519 (RFC 8032) with bigints, to construct signatures that no honest signer makes. Slow and not
// constant-time: for tests only.
export const P = 2n ** 255n - 19n;
export const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = mod(-121665n * inverse(121666n));
const SQRT_MINUS_1 = power(2n, (P - 1n) / 4n);

export type Point = readonly [x: bigint, y: bigint];
export const IDENTITY: Point = [0n, 1n];
export const BASE: Point = decode(encodeInteger(mod(4n * inverse(5n))))!;

export function mod(value: bigint, modulus = P): bigint {
  return ((value % modulus) + modulus) % modulus;
}

export function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const product = mod(D * x1 * x2 * y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + product)), mod((y1 * y2 + x1 * x2) * inverse(1n - product))];
}

export function multiply(scalar: bigint, point: Point): Point {
  let result: Point = IDENTITY;
  for (let rest = scalar, doubled = point; rest > 0n; rest >>= 1n, doubled = add(doubled, doubled)) {
    if (rest & 1n) result = add(result, doubled);
  }
  return result;
}

export function encode([x, y]: Point): Uint8Array {
  return encodeInteger(y | ((x & 1n) << 255n));
}

export function decode(bytes: Uint8Array): Point | undefined {
  const packed = decodeInteger(bytes);
  const y = mod(packed & (2n ** 255n - 1n));
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * SQRT_MINUS_1);
  if (mod(x * x) !== square) return undefined;
  return [(x & 1n) === packed >> 255n ? x : mod(-x), y];
}

export function encodeInteger(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

export function decodeInteger(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** The challenge SHA-512(R ‖ A ‖ message) mod L. */
export function challenge(r: Uint8Array, key: Uint8Array, message: Uint8Array): bigint {
  return mod(decodeInteger(createHash('sha512').update(r).update(key).update(message).digest()), L);
}

function inverse(value: bigint): bigint {
  return power(value, P - 2n);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let rest = exponent, square = mod(base); rest > 0n; rest >>= 1n, square = mod(square * square)) {
    if (rest & 1n) result = mod(result * square);
  }
  return result;
}
