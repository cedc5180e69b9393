import { createPublicKey, type KeyObject, verify as opensslVerify } from 'node:crypto';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { binaryString } from '../../platform/bytes.ts';
import { sodium } from '../../platform/sodium.ts';
import { isForgeable, isSmallOrder } from './points.ts';

export const SIGNATURE_LENGTH = 64;

const keys = new BoundedMap<string, KeyObject>(10_000);

type Verify = (message: Uint8Array, signature: Uint8Array, key: Uint8Array) => boolean;

/** The implementations this machine has; they accept the same. */
export const verifiers: { readonly openssl: Verify; readonly libsodium?: Verify } = {
  openssl: byOpenSsl,
  ...(sodium && { libsodium: bySodium(sodium) }),
};

/**
 * The one Ed25519 verifier of the system. It accepts exactly what libsodium and the Solana runtime accept: S below the
 * group order, a canonical key, neither the key nor R of small order. Anything else, wrong lengths included, is false;
 * it never throws.
 */
export const verify: Verify = verifiers.libsodium ?? verifiers.openssl;

function bySodium(library: NonNullable<typeof sodium>): Verify {
  return (message, signature, key) =>
    signature.length === SIGNATURE_LENGTH &&
    !isSmallOrder(signature) &&
    !isForgeable(key) &&
    library.crypto_sign_verify_detached(signature, message, key);
}

/** A key takes part in 10 000 at most that are held ready for use. */
function byOpenSsl(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  const ready = verificationKey(signature, key);
  return ready !== undefined && opensslVerify(null, message, ready, signature);
}

/** The same judgement made by OpenSSL on libuv's thread pool; `done` is called later, once. Use it through a `Verifier`. */
export function verifyOnPool(
  message: Uint8Array,
  signature: Uint8Array,
  key: Uint8Array,
  done: (valid: boolean) => void,
): void {
  const ready = verificationKey(signature, key);
  if (ready === undefined) setImmediate(done, false);
  else opensslVerify(null, message, ready, signature, (error, valid) => done(error === null && valid));
}

/** The imported key, unless the lengths or the encodings of key and R already rule the signature out. */
function verificationKey(signature: Uint8Array, key: Uint8Array): KeyObject | undefined {
  if (signature.length !== SIGNATURE_LENGTH || key.length !== 32 || isSmallOrder(signature)) return undefined;
  const name = binaryString(key);
  const known = keys.get(name);
  if (known) return known;
  if (isForgeable(key)) return undefined;
  const imported = importKey(key);
  if (imported) keys.set(name, imported);
  return imported;
}

function importKey(key: Uint8Array): KeyObject | undefined {
  const x = Buffer.from(key.buffer, key.byteOffset, key.length).toString('base64url');
  try {
    // Importing through JWK is ten times faster than through DER.
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
