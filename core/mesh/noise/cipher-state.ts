import { type Aead, aeadOf, TAG_LENGTH } from './aead.ts';

/** The specification keeps this nonce for rekeying; a message under it is refused. */
const LAST_NONCE = 2n ** 64n - 1n;
const EMPTY = new Uint8Array(0);
const KEY_LENGTH = 32;

/** The largest Noise message, tag included. */
export const MAX_NOISE_MESSAGE = 65_535;

/** A key and a counter for one direction: the CipherState of the Noise specification with ChaCha20-Poly1305. */
export class CipherState {
  #aead: Aead;
  #nonce: bigint;
  readonly #nonceBytes = Buffer.alloc(12);

  constructor(key: Uint8Array, nonce = 0n) {
    this.#aead = aeadOf(key);
    this.#nonce = nonce;
  }

  /** How many messages went through, which is also the nonce of the next one. */
  get count(): bigint {
    return this.#nonce;
  }

  encrypt(plaintext: Uint8Array, associated: Uint8Array = EMPTY): Uint8Array {
    const message = Buffer.allocUnsafe(plaintext.length + TAG_LENGTH);
    this.encryptInto(message, plaintext, associated);
    return message;
  }

  /** As `encrypt`, to a place in a larger message that is TAG_LENGTH longer than the plaintext. */
  encryptInto(message: Uint8Array, plaintext: Uint8Array, associated: Uint8Array = EMPTY): void {
    this.#aead.seal(message, plaintext, associated, this.#usable());
    this.#nonce += 1n;
  }

  /** Throws, and counts nothing, when the message is not authentic. */
  decrypt(ciphertext: Uint8Array, associated: Uint8Array = EMPTY): Uint8Array {
    if (ciphertext.length < TAG_LENGTH) throw new Error('A Noise message is shorter than its tag.');
    const plaintext = this.#aead.open(ciphertext, associated, this.#usable());
    this.#nonce += 1n;
    return plaintext;
  }

  /** Replaces the key by a one-way function of itself; the counter goes on. Both sides must call it at the same count. */
  rekey(): void {
    const sealed = Buffer.allocUnsafeSlow(KEY_LENGTH + TAG_LENGTH);
    this.#aead.seal(sealed, new Uint8Array(KEY_LENGTH), EMPTY, nonceBytes(LAST_NONCE));
    this.#aead = aeadOf(sealed.subarray(0, KEY_LENGTH));
  }

  #usable(): Uint8Array {
    if (this.#nonce >= LAST_NONCE) throw new Error('This cipher has used up its nonces.');
    return nonceBytes(this.#nonce, this.#nonceBytes);
  }
}

/** 32 zero bits, then the counter, little-endian as the specification has it for ChaChaPoly. */
function nonceBytes(nonce: bigint, bytes = Buffer.alloc(12)): Uint8Array {
  bytes.writeBigUInt64LE(nonce, 4);
  return bytes;
}
