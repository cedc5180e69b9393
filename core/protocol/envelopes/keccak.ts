import { createKeccak } from 'hash-wasm';

// One instance, made when the module is loaded, so that hashing is synchronous everywhere else.
const hasher = await createKeccak(256);

/** Keccak-256 (not SHA3-256) of the parts, one after the other. */
export function keccak256(...parts: readonly Uint8Array[]): Uint8Array {
  hasher.init();
  for (const part of parts) hasher.update(part);
  return hasher.digest('binary');
}
