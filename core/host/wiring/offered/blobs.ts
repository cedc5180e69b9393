import type { SchemaTypes } from '../../../../schemas/types.ts';
import { invalidField, MeshError } from '../../../contracts/errors.ts';
import type { BlobInfo, BlobPage, Blobs } from '../../../services/blobs.ts';
import { cidOf, inSteps } from '../../../storage/blob-hash.ts';
import { isCid, type Blobs as StoredBlobs } from '../../../storage/blobs.ts';
import { collection } from '../../../storage/declarations.ts';
import type { Space } from '../../../storage/space.ts';

const records = collection<SchemaTypes['plugin-blob']>('blobs', { schema: 'plugin-blob' });
const usages = collection<SchemaTypes['plugin-blob-usage']>('usage', { schema: 'plugin-blob-usage' });

const LARGEST = 16 * 1_048_576;
/** A block of the disk, which the smallest file takes. */
const BLOCK = 4_096;
const PAGE = 50;
const LONGEST_PAGE = 200;

export interface PluginBlobsOptions {
  readonly plugin: string;
  /** Bytes that all its blobs may take up. */
  readonly most: number;
  /** Of core alone: what a plugin takes up is not the plugin's to write. */
  readonly space: Space;
  /** The plugin's own files. */
  readonly files: StoredBlobs;
}

/**
 * The blobs of one plugin. The record is written before the file and removed after it, so that no file is left that nobody
 * counts.
 */
export class PluginBlobs implements Blobs {
  readonly #options: PluginBlobsOptions;
  readonly #usage;
  /** Puts and deletes run one after the other. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: PluginBlobsOptions) {
    this.#options = options;
    this.#usage = usages.ref(options.plugin);
  }

  async put(content: Uint8Array): Promise<BlobInfo> {
    const size = content.length;
    if (size > LARGEST)
      throw new MeshError('payload_too_large', `A blob has at most ${LARGEST} bytes; this has ${size}.`);
    // A copy, because the caller may write on while this waits for its turn.
    const bytes = Uint8Array.from(content);
    return this.#inTurn(async () => {
      const hash = await cidOf(bytes);
      const isNew = await this.#reserve(hash, size);
      try {
        await this.#options.files.put(inSteps(bytes), size);
      } catch (error) {
        if (isNew) await this.#forget(hash);
        throw error;
      }
      return { hash, size };
    });
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    if (!isCid(hash) || !(await this.#options.space.get(this.#ref(hash)))) return undefined;
    const found = await this.#options.files.get(hash);
    if (!found) return undefined;
    const parts: Uint8Array[] = [];
    for await (const part of found.content) parts.push(part);
    return Buffer.concat(parts);
  }

  async delete(hash: string): Promise<boolean> {
    if (!isCid(hash)) return false;
    return this.#inTurn(async () => {
      if (!(await this.#options.space.get(this.#ref(hash)))) return false;
      await this.#options.files.delete(hash);
      await this.#forget(hash);
      return true;
    });
  }

  async page({ limit = PAGE, after }: { limit?: number; after?: string } = {}): Promise<BlobPage> {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
      throw invalidField('/limit', `must be a whole number from 1 to ${LONGEST_PAGE}`);
    if (after !== undefined && !isCid(after)) throw invalidField('/after', 'must be a hash; take it from `next`');
    const rows = await this.#options.space.page(records, {
      idPrefix: this.#ref('').id,
      limit: limit + 1,
      ...(after !== undefined && { after: { key: this.#ref(after).id, id: this.#ref(after).id } }),
    });
    const blobs = rows
      .slice(0, limit)
      .map(({ id, value: { size } }) => ({ hash: id.slice(id.indexOf('/') + 1), size }));
    const last = blobs.at(-1);
    return { blobs, ...(rows.length > limit && last && { next: last.hash }) };
  }

  async room(): Promise<{ used: number; most: number }> {
    const { space, most } = this.#options;
    return { used: (await space.get(this.#usage))?.used ?? 0, most };
  }

  #ref(hash: string) {
    return records.ref(`${this.#options.plugin}/${hash}`);
  }

  /** Whether it was not counted before. */
  async #reserve(hash: string, size: number): Promise<boolean> {
    const { space, most, plugin } = this.#options;
    const ref = this.#ref(hash);
    const { value } = await space.tx([ref, this.#usage], (tx) => {
      if (tx.get(ref)) return false;
      const used = (tx.get(this.#usage)?.used ?? 0) + taken(size);
      if (used > most) {
        const detail = `The blobs of ${plugin} would take up ${used} bytes and may take up ${most}: delete some, or raise storage.blobsPerPluginMiB.`;
        throw new MeshError('payload_too_large', detail);
      }
      tx.put(ref, { size });
      tx.put(this.#usage, { used });
      return true;
    });
    return value;
  }

  async #forget(hash: string): Promise<void> {
    const ref = this.#ref(hash);
    await this.#options.space.tx([ref, this.#usage], (tx) => {
      const record = tx.get(ref);
      if (!record) return;
      tx.del(ref);
      tx.put(this.#usage, { used: Math.max(0, (tx.get(this.#usage)?.used ?? 0) - taken(record.size)) });
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => undefined);
    return done;
  }
}

function taken(size: number): number {
  return Math.max(size, BLOCK);
}
