import { toHex } from '../../../core/bytes.ts';
import { keccak256 } from '../../../core/envelopes/keccak.ts';
import { StorageError } from '../../../core/storage/adapter.ts';
import type { BlobStat, Blobs, StoredBlob } from '../../../core/storage/blobs.ts';

/** Blobs in memory, without the threads that files and the compiler of hashes use; they outlive their node's restarts. */
export class VirtualBlobs implements Blobs {
  readonly #held = new Map<string, Uint8Array>();

  async put(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<BlobStat> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > maxBytes) throw new StorageError('too_large', `a blob has at most ${maxBytes} bytes`);
      chunks.push(Uint8Array.from(chunk));
    }
    const bytes = Buffer.concat(chunks);
    const cid = toHex(keccak256(bytes));
    this.#held.set(cid, bytes);
    return { cid, size };
  }

  async get(cid: string): Promise<StoredBlob | undefined> {
    const bytes = this.#held.get(cid);
    return bytes && { cid, size: bytes.length, content: once(bytes) };
  }

  async stat(cid: string): Promise<BlobStat | undefined> {
    const bytes = this.#held.get(cid);
    return bytes && { cid, size: bytes.length };
  }

  async delete(cid: string): Promise<boolean> {
    return this.#held.delete(cid);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  if (bytes.length > 0) yield bytes;
}
