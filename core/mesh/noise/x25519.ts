import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';

const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b656e032100', 'hex');

export const KEY_LENGTH = 32;

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** The 32 bytes that go over the wire. */
  readonly publicKey: Uint8Array;
}

/**
 * A pair from 32 secret bytes. Deriving from bytes and exporting DER is deliberate: in Node 20 a freshly generated key
 * exported as JWK can block the process for ever.
 */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  if (secret.length !== KEY_LENGTH) throw new RangeError('An X25519 secret has 32 bytes.');
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, secret]), format: 'der', type: 'pkcs8' });
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: new Uint8Array(der.subarray(SPKI_HEAD.length)) };
}

/** The shared secret; throws when `theirs` is a point of small order, whose secret would be all zero. */
export function agree(mine: KeyPair, theirs: Uint8Array): Uint8Array {
  if (theirs.length !== KEY_LENGTH) throw new RangeError('An X25519 public key has 32 bytes.');
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_HEAD, theirs]), format: 'der', type: 'spki' });
  return diffieHellman({ privateKey: mine.privateKey, publicKey });
}
