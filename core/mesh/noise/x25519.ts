import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';

export const KEY_LENGTH = 32;
const CURVE = { kty: 'OKP', crv: 'X25519' } as const;

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** The 32 bytes that go over the wire. */
  readonly publicKey: Uint8Array;
}

/** The point that a public key is the multiple of. */
const BASE = importPublic(Uint8Array.of(9, ...new Uint8Array(KEY_LENGTH - 1)));

/**
 * A pair from 32 secret bytes. The public key is the agreement with the base point; asking Node for it is slower, and
 * in Node 20 a freshly generated key exported as JWK can block the process for ever.
 */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  if (secret.length !== KEY_LENGTH) throw new RangeError('An X25519 secret has 32 bytes.');
  // Importing through JWK is ten times faster than through DER; `x` has to be there and is not read.
  const privateKey = createPrivateKey({ key: { ...CURVE, d: base64url(secret), x: '' }, format: 'jwk' });
  return { privateKey, publicKey: new Uint8Array(diffieHellman({ privateKey, publicKey: BASE })) };
}

/** The shared secret; throws when `theirs` is a point of small order, whose secret would be all zero. */
export function agree(mine: KeyPair, theirs: Uint8Array): Uint8Array {
  if (theirs.length !== KEY_LENGTH) throw new RangeError('An X25519 public key has 32 bytes.');
  return diffieHellman({ privateKey: mine.privateKey, publicKey: importPublic(theirs) });
}

function importPublic(key: Uint8Array): KeyObject {
  return createPublicKey({ key: { ...CURVE, x: base64url(key) }, format: 'jwk' });
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
}
