/**
 * Byte strings under the name that follows from them: their keccak-256 in 64 lower-case hex digits. A holder of the
 * name can tell whether the bytes are the right ones, so a store never gives other bytes: it fails instead.
 */
export interface Blobs {
  /**
   * Reads the content to its end and keeps it; resolves when it is durable. Putting what is there already is one blob,
   * and mends it if it was damaged. Rejects with `too_large` as soon as more than `maxBytes` have come, with `full`
   * when there is no room, and with the content's own error when reading it fails; then nothing of it is left. The
   * content's iterator is ended when it is not read to its end. `accept` is asked when the bytes are there and nobody can get them
   * yet; when it rejects, so does this, and nothing of it is left.
   */
  put(content: AsyncIterable<Uint8Array>, maxBytes: number, accept?: Accept): Promise<BlobStat>;

  /** Undefined when there is no such blob. Nothing is held open until the content is read. */
  get(cid: string): Promise<StoredBlob | undefined>;

  stat(cid: string): Promise<BlobStat | undefined>;

  /** Whether it was there. Readers that have begun may or may not get to the end. */
  delete(cid: string): Promise<boolean>;
}

export type Accept = (blob: BlobStat) => Promise<void>;

export interface BlobStat {
  readonly cid: string;
  /** Bytes. */
  readonly size: number;
}

export interface StoredBlob extends BlobStat {
  /**
   * Can be read once. Throws `corrupt` when the bytes are not those that were put, before it gives the last part of
   * them: content that was read without an error is right, and wrong content is never `size` bytes long.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

const CID = /^[0-9a-f]{64}$/;

/** Anything else names no blob. */
export function isCid(name: string): boolean {
  return CID.test(name);
}
