import { createHash } from 'node:crypto';

const P = 2n ** 255n - 19n;

/**
 * The X25519 key of an Ed25519 key: the same point on the other form of the curve, u = (1 + y) / (1 - y). Undefined for
 * bytes that are no usable key. Takes about 0.1 ms; callers keep the result for keys they write to often.
 */
export function boxKeyOf(key: Uint8Array): Uint8Array | undefined {
  if (key.length !== 32) return undefined;
  const y = fromLittleEndian(key) & (2n ** 255n - 1n);
  if (y >= P || y === 1n) return undefined;
  const u = ((1n + y) * power(P + 1n - y, P - 2n)) % P;
  return u === 0n ? undefined : toLittleEndian(u);
}

/** The X25519 secret of an Ed25519 seed: the scalar that the signature scheme itself multiplies with. */
export function boxSecretOf(seed: Uint8Array): Uint8Array {
  const digest = createHash('sha512').update(seed).digest();
  const secret = new Uint8Array(digest.subarray(0, 32));
  secret[0]! &= 248;
  secret[31]! &= 127;
  secret[31]! |= 64;
  digest.fill(0);
  return secret;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base % P, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function toLittleEndian(value: bigint): Uint8Array {
  return new Uint8Array(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse());
}
