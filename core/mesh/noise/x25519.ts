import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import { sodium } from '../../platform/sodium.ts';

export const KEY_LENGTH = 32;
const CURVE = { kty: 'OKP', crv: 'X25519' } as const;

export interface KeyPair {
  /** The 32 bytes that go over the wire. */
  readonly publicKey: Uint8Array;
  /** The secret shared with the owner of 32 such bytes; throws when they are of small order and it would be all zero. */
  agree(theirs: Uint8Array): Uint8Array;
}

/** The point that a public key is the multiple of. */
const BASE = importPublic(Uint8Array.of(9, ...new Uint8Array(KEY_LENGTH - 1)));

type PairFrom = (secret: Uint8Array) => KeyPair;

/** The implementations this machine has; they compute the same. libsodium makes a pair in a quarter of OpenSSL's time. */
export const curves: { readonly openssl: PairFrom; readonly libsodium?: PairFrom } = {
  openssl: byOpenSsl,
  ...(sodium && { libsodium: bySodium(sodium) }),
};

const pairFrom: PairFrom = curves.libsodium ?? curves.openssl;

/** A pair from 32 secret bytes, which are copied. */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  if (secret.length !== KEY_LENGTH) throw new RangeError('An X25519 secret has 32 bytes.');
  return pairFrom(secret);
}

/** The shared secret; throws when `theirs` is a point of small order, whose secret would be all zero. */
export function agree(mine: KeyPair, theirs: Uint8Array): Uint8Array {
  if (theirs.length !== KEY_LENGTH) throw new RangeError('An X25519 public key has 32 bytes.');
  return mine.agree(theirs);
}

function bySodium(library: NonNullable<typeof sodium>): PairFrom {
  return (secret) => {
    const own = Uint8Array.from(secret);
    const publicKey = new Uint8Array(KEY_LENGTH);
    library.crypto_scalarmult_base(publicKey, own);
    return {
      publicKey,
      agree(theirs) {
        const shared = new Uint8Array(KEY_LENGTH);
        library.crypto_scalarmult(shared, own, theirs);
        return shared;
      },
    };
  };
}

/**
 * The public key is the agreement with the base point; asking Node for it is slower, and in Node 20 a freshly generated
 * key exported as JWK can block the process for ever.
 */
function byOpenSsl(secret: Uint8Array): KeyPair {
  // Importing through JWK is ten times faster than through DER; `x` has to be there and is not read.
  const privateKey = createPrivateKey({ key: { ...CURVE, d: base64url(secret), x: '' }, format: 'jwk' });
  return {
    publicKey: new Uint8Array(diffieHellman({ privateKey, publicKey: BASE })),
    agree: (theirs) => diffieHellman({ privateKey, publicKey: importPublic(theirs) }),
  };
}

function importPublic(key: Uint8Array): KeyObject {
  return createPublicKey({ key: { ...CURVE, x: base64url(key) }, format: 'jwk' });
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
}
