import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** The bytes before the 32 of an Ed25519 seed in PKCS 8, and before those of a key in SPKI. */
const SEED_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A key that is used once and forgotten: that of a new asset, which signs only its own making. */
export class AssetKey {
  readonly publicKey: Uint8Array;
  readonly #key: KeyObject;

  constructor(seed: Uint8Array) {
    this.#key = createPrivateKey({ key: Buffer.concat([SEED_PREFIX, seed]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.publicKey = spki.subarray(KEY_PREFIX.length);
  }

  sign(message: Uint8Array): Uint8Array {
    return sign(null, message, this.#key);
  }
}

export function isSignedBy(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const spki = Buffer.concat([KEY_PREFIX, key]);
  try {
    return verify(null, message, createPublicKey({ key: spki, format: 'der', type: 'spki' }), signature);
  } catch {
    return false;
  }
}
