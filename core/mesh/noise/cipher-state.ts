import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

const ALGORITHM = 'chacha20-poly1305';
/** The specification keeps this nonce for rekeying; a message under it is refused. */
const LAST_NONCE = 2n ** 64n - 1n;
const EMPTY = new Uint8Array(0);

export const TAG_LENGTH = 16;
const TAGGED = { authTagLength: TAG_LENGTH };
/** The largest Noise message, tag included. */
export const MAX_NOISE_MESSAGE = 65_535;

/** A key and a counter for one direction: the CipherState of the Noise specification with ChaCha20-Poly1305. */
export class CipherState {
  #key: KeyObject;
  #nonce: bigint;
  readonly #nonceBytes = Buffer.alloc(12);

  constructor(key: Uint8Array, nonce = 0n) {
    this.#key = createSecretKey(key);
    this.#nonce = nonce;
  }

  /** How many messages went through, which is also the nonce of the next one. */
  get count(): bigint {
    return this.#nonce;
  }

  encrypt(plaintext: Uint8Array, associated: Uint8Array = EMPTY): Uint8Array {
    return Buffer.concat(this.encryptParts(plaintext, associated), plaintext.length + TAG_LENGTH);
  }

  /** As `encrypt`, for callers who put the parts into a larger message themselves. */
  encryptParts(plaintext: Uint8Array, associated: Uint8Array = EMPTY): [body: Uint8Array, tag: Uint8Array] {
    const parts = seal(this.#key, this.#usable(), associated, plaintext);
    this.#nonce += 1n;
    return parts;
  }

  /** Throws, and counts nothing, when the message is not authentic. */
  decrypt(ciphertext: Uint8Array, associated: Uint8Array = EMPTY): Uint8Array {
    if (ciphertext.length < TAG_LENGTH) throw new Error('A Noise message is shorter than its tag.');
    const nonce = this.#usable();
    const end = ciphertext.length - TAG_LENGTH;
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, TAGGED);
    if (associated.length > 0) decipher.setAAD(associated, { plaintextLength: end });
    decipher.setAuthTag(ciphertext.subarray(end));
    const plaintext = decipher.update(ciphertext.subarray(0, end));
    decipher.final();
    this.#nonce += 1n;
    return plaintext;
  }

  /** Replaces the key by a one-way function of itself; the counter goes on. Both sides must call it at the same count. */
  rekey(): void {
    const [stream] = seal(this.#key, nonceBytes(LAST_NONCE), EMPTY, new Uint8Array(32));
    this.#key = createSecretKey(stream);
  }

  #usable(): Uint8Array {
    if (this.#nonce >= LAST_NONCE) throw new Error('This cipher has used up its nonces.');
    return nonceBytes(this.#nonce, this.#nonceBytes);
  }
}

function seal(
  key: KeyObject,
  nonce: Uint8Array,
  associated: Uint8Array,
  plaintext: Uint8Array,
): [body: Uint8Array, tag: Uint8Array] {
  const cipher = createCipheriv(ALGORITHM, key, nonce, TAGGED);
  if (associated.length > 0) cipher.setAAD(associated, { plaintextLength: plaintext.length });
  const body = cipher.update(plaintext);
  cipher.final();
  return [body, cipher.getAuthTag()];
}

/** 32 zero bits, then the counter, little-endian as the specification has it for ChaChaPoly. */
function nonceBytes(nonce: bigint, bytes = Buffer.alloc(12)): Uint8Array {
  bytes.writeBigUInt64LE(nonce, 4);
  return bytes;
}
