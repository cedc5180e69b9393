import { createPrivateKey, createPublicKey, sign as opensslSign } from 'node:crypto';
import { sodium } from '../../platform/sodium.ts';

export interface KeyPair {
  /** The 32 bytes of the public key. */
  readonly key: Uint8Array;
  /** The signature of Ed25519, 64 bytes; the same for the same message. */
  sign(message: Uint8Array): Uint8Array;
}

type PairOf = (seed: Uint8Array) => KeyPair;

// Wraps a raw seed into PKCS #8 for OpenSSL.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The implementations this machine has; they make the same keys and signatures. */
export const pairs: { readonly openssl: PairOf; readonly libsodium?: PairOf } = {
  openssl: byOpenSsl,
  ...(sodium && { libsodium: bySodium(sodium) }),
};

/** The pair of a seed of 32 bytes. */
export const keyPairOf: PairOf = pairs.libsodium ?? pairs.openssl;

function bySodium(library: NonNullable<typeof sodium>): PairOf {
  return (seed) => {
    const key = new Uint8Array(32);
    const secret = Buffer.allocUnsafeSlow(64);
    library.crypto_sign_seed_keypair(key, secret, seed);
    return {
      key,
      sign(message) {
        const signature = new Uint8Array(64);
        library.crypto_sign_detached(signature, message, secret);
        return signature;
      },
    };
  };
}

function byOpenSsl(seed: Uint8Array): KeyPair {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  return {
    // Cut from DER: exporting a fresh key as JWK can hang Node 20 for ever.
    key: new Uint8Array(createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)),
    sign: (message) => new Uint8Array(opensslSign(null, message, secret)),
  };
}
