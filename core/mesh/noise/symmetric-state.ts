import { createHash, hkdfSync } from 'node:crypto';
import { CipherState } from './cipher-state.ts';

const NO_BYTES = new Uint8Array(0);

/** The running hash and chaining key of a handshake: the SymmetricState of the Noise specification with SHA-256. */
export class SymmetricState {
  #chainingKey: Uint8Array;
  #hash: Uint8Array;
  #cipher: CipherState | undefined;

  constructor(protocolName: string) {
    const name = Buffer.from(protocolName);
    this.#hash = name.length <= 32 ? Buffer.concat([name], 32) : sha256(name);
    this.#chainingKey = this.#hash;
  }

  /** Equal on both sides exactly when they saw the same handshake. */
  get hash(): Uint8Array {
    return this.#hash;
  }

  mixHash(data: Uint8Array): void {
    this.#hash = sha256(this.#hash, data);
  }

  mixKey(secret: Uint8Array): void {
    const [chainingKey, key] = this.#derive(secret);
    this.#chainingKey = chainingKey;
    this.#cipher = new CipherState(key);
  }

  encryptAndHash(plaintext: Uint8Array): Uint8Array {
    const ciphertext = this.#cipher?.encrypt(plaintext, this.#hash) ?? plaintext;
    this.mixHash(ciphertext);
    return ciphertext;
  }

  decryptAndHash(ciphertext: Uint8Array): Uint8Array {
    const plaintext = this.#cipher?.decrypt(ciphertext, this.#hash) ?? ciphertext;
    this.mixHash(ciphertext);
    return plaintext;
  }

  /** The ciphers of the transport phase: what the initiator sends with, then what the responder sends with. */
  split(): [initiator: CipherState, responder: CipherState] {
    const [first, second] = this.#derive(NO_BYTES);
    return [new CipherState(first), new CipherState(second)];
  }

  /** Noise's HKDF with two outputs is RFC 5869 with the chaining key as salt and no info. */
  #derive(secret: Uint8Array): [Uint8Array, Uint8Array] {
    const bytes = new Uint8Array(hkdfSync('sha256', secret, this.#chainingKey, NO_BYTES, 64));
    return [bytes.subarray(0, 32), bytes.subarray(32)];
  }
}

function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
