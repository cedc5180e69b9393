import { guardedToken } from '../platform/token.ts';

/**
 * Byte strings under their hash, kept as files of the data folder. A plugin reads and deletes its own alone: two that put
 * the same bytes keep two files, and a hash gives nobody else's away. Needs the permission `blobs`.
 *
 * All blobs of a plugin have `storage.blobsPerPluginMiB` together, 64 MiB unless the operator says otherwise; a blob counts as 4 KiB
 * at least, which a file takes on the disk. A hash is a keccak-256 in 64 lower-case hex digits, as in the DELIVER of a large delivery.
 */
export interface Blobs {
  /**
   * Keeps up to 16 MiB; resolves when they are on the disk. Putting what is there already is one blob, and mends it if it was
   * damaged. Rejects with `payload_too_large` when it, or the sum, would be too large; then nothing is kept.
   */
  put(content: Uint8Array): Promise<BlobInfo>;
  /** Undefined when this plugin has no such blob. Never gives other bytes than were put: rejects when they are damaged. */
  get(hash: string): Promise<Uint8Array | undefined>;
  /** Whether this plugin had it. */
  delete(hash: string): Promise<boolean>;
  /** By hash, up to 200; 50 unless `limit` says otherwise. `next` is the `after` of the next page, absent on the last. */
  page(query?: { readonly limit?: number; readonly after?: string }): Promise<BlobPage>;
  /** The bytes that this plugin's blobs take up, and the most they may. */
  room(): Promise<{ readonly used: number; readonly most: number }>;
}
export const Blobs = guardedToken<Blobs>('blobs', 'blobs');

export interface BlobInfo {
  readonly hash: string;
  /** Bytes. */
  readonly size: number;
}

export interface BlobPage {
  readonly blobs: readonly BlobInfo[];
  readonly next?: string;
}
