import { createCipheriv, createDecipheriv } from 'node:crypto';

export const KEY_LENGTH = 32;
export const NONCE_LENGTH = 24;
const TAG_LENGTH = 16;
const ALGORITHM = 'chacha20-poly1305';
/** The words "expand 32-byte k" that every block of ChaCha20 begins with. */
const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
/** Indices of the quarter rounds: four columns, then four diagonals. */
const QUARTERS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha): Node has ChaCha20-Poly1305, and the X is a key derived from the longer nonce, which may
 * be random without end. Gives ciphertext and tag.
 */
export function encrypt(key: Uint8Array, nonce: Uint8Array, plain: Uint8Array, associated: Uint8Array): Buffer {
  const cipher = createCipheriv(ALGORITHM, hchacha20(key, nonce), shortNonce(nonce), { authTagLength: TAG_LENGTH });
  cipher.setAAD(associated, { plaintextLength: plain.length });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined for a forgery, or another key, nonce or associated text. */
export function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  closed: Uint8Array,
  associated: Uint8Array,
): Buffer | undefined {
  if (closed.length < TAG_LENGTH) return undefined;
  const text = closed.subarray(0, closed.length - TAG_LENGTH);
  const decipher = createDecipheriv(ALGORITHM, hchacha20(key, nonce), shortNonce(nonce), { authTagLength: TAG_LENGTH });
  decipher.setAAD(associated, { plaintextLength: text.length });
  decipher.setAuthTag(closed.subarray(closed.length - TAG_LENGTH));
  const plain = decipher.update(text);
  try {
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return undefined;
  }
}

function shortNonce(nonce: Uint8Array): Buffer {
  return Buffer.concat([Buffer.alloc(4), nonce.subarray(16)]);
}

/** The key of a nonce: the outer words of the state after 20 rounds without the last addition. */
export function hchacha20(key: Uint8Array, nonce: Uint8Array): Buffer {
  if (key.length !== KEY_LENGTH || nonce.length !== NONCE_LENGTH)
    throw new RangeError(`a key has ${KEY_LENGTH} bytes and a nonce ${NONCE_LENGTH}`);
  const state = new Uint32Array(16);
  const word = (bytes: Uint8Array, at: number) => Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32LE(at * 4);
  for (let i = 0; i < 4; i += 1) state[i] = SIGMA[i]!;
  for (let i = 0; i < 8; i += 1) state[4 + i] = word(key, i);
  for (let i = 0; i < 4; i += 1) state[12 + i] = word(nonce, i);
  for (let round = 0; round < 10; round += 1) for (const [a, b, c, d] of QUARTERS) mix(state, a, b, c, d);
  const derived = Buffer.alloc(KEY_LENGTH);
  for (let i = 0; i < 4; i += 1) {
    derived.writeUInt32LE(state[i]!, i * 4);
    derived.writeUInt32LE(state[12 + i]!, 16 + i * 4);
  }
  return derived;
}

function mix(state: Uint32Array, a: number, b: number, c: number, d: number): void {
  step(state, a, b, d, 16);
  step(state, c, d, b, 12);
  step(state, a, b, d, 8);
  step(state, c, d, b, 7);
}

function step(state: Uint32Array, sum: number, added: number, turned: number, by: number): void {
  state[sum] = (state[sum]! + state[added]!) >>> 0;
  const mixed = state[turned]! ^ state[sum]!;
  state[turned] = (mixed << by) | (mixed >>> (32 - by));
}
