import type { Random } from '../../core/services.ts';
import { decrypt, encrypt, NONCE_LENGTH } from './xchacha.ts';

/** Encrypts a secret for the store, in base64: a nonce, then the ciphertext. It opens only under the name it was sealed with. */
export function seal(key: Uint8Array, secret: Uint8Array, name: string, random: Pick<Random, 'bytes'>): string {
  const nonce = random.bytes(NONCE_LENGTH);
  return Buffer.concat([nonce, encrypt(key, nonce, secret, Buffer.from(name))]).toString('base64');
}

/** Undefined where the key, the name or the text is another one. */
export function unseal(key: Uint8Array, sealed: string, name: string): Buffer | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < NONCE_LENGTH) return undefined;
  return decrypt(key, bytes.subarray(0, NONCE_LENGTH), bytes.subarray(NONCE_LENGTH), Buffer.from(name));
}
