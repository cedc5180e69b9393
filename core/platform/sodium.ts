import { createRequire } from 'node:module';

/**
 * The functions of libsodium that are used here. Outputs come first and must have the exact length. A wrong length
 * throws, and so does a forgery where nothing else is said.
 */
export interface Sodium {
  crypto_sign_seed_keypair(publicKey: Uint8Array, secretKey: Uint8Array, seed: Uint8Array): void;
  crypto_sign_detached(signature: Uint8Array, message: Uint8Array, secretKey: Uint8Array): void;
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  crypto_box_easy(
    ciphertext: Uint8Array,
    plaintext: Uint8Array,
    nonce: Uint8Array,
    publicKey: Uint8Array,
    secretKey: Uint8Array,
  ): void;
  /** False for a forgery. */
  crypto_box_open_easy(
    plaintext: Uint8Array,
    ciphertext: Uint8Array,
    nonce: Uint8Array,
    publicKey: Uint8Array,
    secretKey: Uint8Array,
  ): boolean;
  crypto_aead_chacha20poly1305_ietf_encrypt(
    ciphertext: Uint8Array,
    plaintext: Uint8Array,
    associated: Uint8Array | null,
    secretNonce: null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): void;
  crypto_aead_chacha20poly1305_ietf_decrypt(
    plaintext: Uint8Array,
    secretNonce: null,
    ciphertext: Uint8Array,
    associated: Uint8Array | null,
    nonce: Uint8Array,
    key: Uint8Array,
  ): void;
  crypto_scalarmult_base(publicKey: Uint8Array, secret: Uint8Array): void;
  /** Throws when the result would be all zero. */
  crypto_scalarmult(shared: Uint8Array, secret: Uint8Array, publicKey: Uint8Array): void;
}

/**
 * libsodium, which signs and verifies in three fifths of OpenSSL's time and spares small messages its look-up of the
 * cipher. Undefined where its package has no binary, such as with musl: callers then use OpenSSL.
 */
export const sodium: Sodium | undefined = load();

function load(): Sodium | undefined {
  // Not by the package's name: its loader reads four more packages to find this file, 20 ms of every start.
  const binary = `sodium-native/prebuilds/${process.platform}-${process.arch}/sodium-native.node`;
  try {
    return createRequire(import.meta.url)(binary);
  } catch {
    return undefined;
  }
}
