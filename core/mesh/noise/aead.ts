import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { sodium } from '../../platform/sodium.ts';

const ALGORITHM = 'chacha20-poly1305';
export const TAG_LENGTH = 16;
const TAGGED = { authTagLength: TAG_LENGTH };

/** ChaCha20-Poly1305 (RFC 8439) under one key. */
export interface Aead {
  /** Writes ciphertext and tag to `sealed`, which is TAG_LENGTH longer than `plaintext`. */
  seal(sealed: Uint8Array, plaintext: Uint8Array, associated: Uint8Array, nonce: Uint8Array): void;
  /** The plaintext; throws when `sealed`, of at least TAG_LENGTH bytes, is not authentic. */
  open(sealed: Uint8Array, associated: Uint8Array, nonce: Uint8Array): Uint8Array;
}

/** The implementations this machine has; they make and accept the same bytes. */
export const aeads: { readonly openssl: AeadOf; readonly libsodium?: AeadOf } = {
  openssl: byOpenSsl,
  ...(sodium && { libsodium: bySodium(sodium) }),
};

type AeadOf = (key: Uint8Array) => Aead;

/** OpenSSL finds the cipher anew for each nonce, which costs a message of 600 bytes seven times what libsodium does. */
export const aeadOf: AeadOf = aeads.libsodium ?? aeads.openssl;

function bySodium(library: NonNullable<typeof sodium>): AeadOf {
  return (key) => {
    const secret = Uint8Array.from(key);
    return {
      seal(sealed, plaintext, associated, nonce) {
        library.crypto_aead_chacha20poly1305_ietf_encrypt(sealed, plaintext, associated, null, nonce, secret);
      },
      open(sealed, associated, nonce) {
        const plaintext = Buffer.allocUnsafe(sealed.length - TAG_LENGTH);
        library.crypto_aead_chacha20poly1305_ietf_decrypt(plaintext, null, sealed, associated, nonce, secret);
        return plaintext;
      },
    };
  };
}

function byOpenSsl(key: Uint8Array): Aead {
  const secret = createSecretKey(key);
  return {
    seal(sealed, plaintext, associated, nonce) {
      const cipher = createCipheriv(ALGORITHM, secret, nonce, TAGGED);
      if (associated.length > 0) cipher.setAAD(associated, { plaintextLength: plaintext.length });
      sealed.set(cipher.update(plaintext));
      cipher.final();
      sealed.set(cipher.getAuthTag(), plaintext.length);
    },
    open(sealed, associated, nonce) {
      const end = sealed.length - TAG_LENGTH;
      const decipher = createDecipheriv(ALGORITHM, secret, nonce, TAGGED);
      if (associated.length > 0) decipher.setAAD(associated, { plaintextLength: end });
      decipher.setAuthTag(sealed.subarray(end));
      const plaintext = decipher.update(sealed.subarray(0, end));
      decipher.final();
      return plaintext;
    },
  };
}
