import { TAG_LENGTH } from '../noise/aead.ts';
import { type CipherState, MAX_NOISE_MESSAGE } from '../noise/cipher-state.ts';
import { MAX_MESSAGE } from '../transport.ts';

const LENGTH = 2;
const MAX_PLAINTEXT = MAX_NOISE_MESSAGE - TAG_LENGTH;
const FULL = LENGTH + MAX_NOISE_MESSAGE;
const OVERHEAD = LENGTH + TAG_LENGTH;

/** The most plaintext that fits into one transport message once it is cut up and encrypted. */
export const MAX_RECORD = Math.floor(MAX_MESSAGE / FULL) * MAX_PLAINTEXT + Math.max(0, (MAX_MESSAGE % FULL) - OVERHEAD);

/** One transport message: the plaintext as Noise messages, each behind its u16 length. */
export function sealRecord(cipher: CipherState, plaintext: Uint8Array): Uint8Array {
  const count = Math.max(1, Math.ceil(plaintext.length / MAX_PLAINTEXT));
  const record = Buffer.allocUnsafe(plaintext.length + count * OVERHEAD);
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const part = plaintext.subarray(index * MAX_PLAINTEXT, (index + 1) * MAX_PLAINTEXT);
    const end = at + OVERHEAD + part.length;
    record.writeUInt16BE(part.length + TAG_LENGTH, at);
    cipher.encryptInto(record.subarray(at + LENGTH, end), part);
    at = end;
  }
  return record;
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
