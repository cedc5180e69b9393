import { type CipherState, MAX_NOISE_MESSAGE, TAG_LENGTH } from './noise/cipher-state.ts';
import { MAX_MESSAGE } from './transport.ts';

const LENGTH = 2;
const MAX_PLAINTEXT = MAX_NOISE_MESSAGE - TAG_LENGTH;
const FULL = LENGTH + MAX_NOISE_MESSAGE;
const OVERHEAD = LENGTH + TAG_LENGTH;

/** The most plaintext that fits into one transport message once it is cut up and encrypted. */
export const MAX_RECORD = Math.floor(MAX_MESSAGE / FULL) * MAX_PLAINTEXT + Math.max(0, (MAX_MESSAGE % FULL) - OVERHEAD);

/** One transport message: the plaintext as Noise messages, each behind its u16 length. */
export function sealRecord(cipher: CipherState, plaintext: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < plaintext.length || at === 0; at += MAX_PLAINTEXT) {
    const [body, tag] = cipher.encryptParts(plaintext.subarray(at, at + MAX_PLAINTEXT));
    parts.push(lengthOf(body.length + tag.length), body, tag);
  }
  return Buffer.concat(parts);
}

/** The plaintext of a transport message; throws when any part of it is cut short or not authentic. */
export function openRecord(cipher: CipherState, message: Uint8Array): Uint8Array {
  const parts = splitRecord(message).map((part) => cipher.decrypt(part));
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** A transport message that carries one Noise message as it is, as in the handshake. */
export function wrapRecord(noiseMessage: Uint8Array): Uint8Array {
  return Buffer.concat([lengthOf(noiseMessage.length), noiseMessage]);
}

/** The Noise messages in a transport message, at least one. */
export function splitRecord(message: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < message.length || at === 0; ) {
    if (message.length - at < LENGTH) throw new Error('A Noise message lacks its length.');
    const end = at + LENGTH + message[at]! * 256 + message[at + 1]!;
    if (end > message.length) throw new Error('A Noise message is cut short.');
    parts.push(message.subarray(at + LENGTH, end));
    at = end;
  }
  return parts;
}

function lengthOf(length: number): Uint8Array {
  return Uint8Array.of(length >> 8, length & 255);
}
