import { createHash } from 'node:crypto';
import bs58 from 'bs58';

export const SYSTEM = '11111111111111111111111111111111';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

const P = 2n ** 255n - 19n;
/** -121665 / 121666, of the curve's equation. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const MARKER = Buffer.from('ProgramDerivedAddress');

/** The 32 bytes of an address; undefined for anything else. */
export function decodeAddress(text: string): Uint8Array | undefined {
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === 32 ? bytes : undefined;
}

export function addressBytes(text: string): Uint8Array {
  const bytes = decodeAddress(text);
  if (!bytes) throw new RangeError(`${text} is no address`);
  return bytes;
}

/** A derivation takes a millisecond, and most are asked for again and again. */
const MOST_KNOWN = 1_000;
const known = new Map<string, string>();

/** The address that a program derives from these seeds: the first one of 255, 254, ... which is no key. */
export function derivedAddress(program: string, seeds: readonly (string | Uint8Array)[]): string {
  const parts = seeds.map((seed) => Buffer.from(seed as Uint8Array));
  const name = [program, ...parts.map((part) => part.toString('hex'))].join('/');
  const found = known.get(name) ?? derive(program, parts);
  known.delete(name);
  known.set(name, found);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
  return found;
}

function derive(program: string, parts: readonly Uint8Array[]): string {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    const bytes = hash.update(Uint8Array.of(bump)).update(addressBytes(program)).update(MARKER).digest();
    if (!isOnCurve(bytes)) return bs58.encode(bytes);
  }
  throw new RangeError('no address can be derived from these seeds');
}

export function tokenAccountOf(wallet: string, mint: string): string {
  return derivedAddress(ASSOCIATED_TOKEN, [addressBytes(wallet), addressBytes(TOKEN), addressBytes(mint)]);
}

/** Whether 32 bytes are a point of the curve, and so may be somebody's key. */
export function isOnCurve(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  const square = (y * y) % P;
  const [above, below] = [(square - 1n + P) % P, (D * square + 1n) % P];
  const x2 = (above * power(below, P - 2n)) % P;
  return x2 === 0n || power(x2, (P - 1n) / 2n) === 1n;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [b, e] = [base % P, exponent]; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * b) % P;
    b = (b * b) % P;
  }
  return result;
}
