import { setImmediate as aTurn } from 'node:timers/promises';
import { createKeccak } from 'hash-wasm';

/** Bytes hashed at once: a third of a millisecond. */
export const HASH_STEP = 64 * 1024;

/** The name of a content that comes in parts. */
export interface BlobHash {
  add(bytes: Uint8Array): void;
  /** Ends it. */
  cid(): string;
}

export async function blobHash(): Promise<BlobHash> {
  const keccak = (await createKeccak(256)).init();
  return {
    add: (bytes) => void keccak.update(bytes),
    cid: () => keccak.digest('hex'),
  };
}

/** The name of a content that is there. */
export async function cidOf(bytes: Uint8Array): Promise<string> {
  const hash = await blobHash();
  for await (const step of inSteps(bytes)) hash.add(step);
  return hash.cid();
}

/** In pieces, between which others get their turn. */
export async function* inSteps(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += HASH_STEP) {
    yield bytes.subarray(at, at + HASH_STEP);
    await aTurn();
  }
}
