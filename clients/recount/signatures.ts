// For browsers without WebCrypto or without its Ed25519, as all are on plain HTTP from another machine: what the check of a receipt needs of it.
import nacl from 'tweetnacl';

export { sha256 } from './browser/sha256.ts';

/** Whether the curve agrees; whoever calls has looked at the encodings. */
export function verify(message: Uint8Array, signature: Uint8Array, key: Uint8Array): boolean {
  return nacl.sign.detached.verify(message, signature, key);
}
