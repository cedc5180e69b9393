import type { Staged } from '../../core/storage/staging.ts';
import type { Files } from './files.ts';
import { BlockCache } from './layers/block-cache.ts';
import { FileLayer } from './layers/layer-file.ts';
import { OpenFiles } from './open-files.ts';
import { KeptRecords } from './segment-reader.ts';
import { Segments } from './segments.ts';
import { type Beneath, type StoreChange, Tables } from './tables.ts';

/** Files of old records that stay open. */
const OPEN_SEGMENTS = 64;

const SEGMENT_RECORDS = 50_000;
const CACHE_BYTES = 16 * 1024 * 1024;
const RECORD_BYTES = 16 * 1024 * 1024;

/** As the options of the adapter name them. */
export interface StateSizes {
  readonly segmentRecords: number | undefined;
  readonly cacheBytes: number | undefined;
  readonly recordBytes: number | undefined;
}

/** A commit on its way to the disk. */
export interface Write {
  readonly number: Staged['number'];
  readonly changes: readonly StoreChange[];
}

/** The data of lowdb: everything durable, and the commits that `write` is about to make durable. */
export class State {
  readonly tables: Tables;
  readonly cache: BlockCache;
  readonly segments = new Map<string, Segments>();
  staged: readonly Write[] = [];
  /** Numbers of segment files rise over the whole store. */
  lastSegment = 0;
  readonly #files: Files;
  readonly #opened: OpenFiles;
  readonly #segmentRecords: number;
  readonly #kept: KeptRecords;

  constructor(files: Files, now: () => number, { segmentRecords, cacheBytes, recordBytes }: StateSizes) {
    this.tables = new Tables(now);
    this.cache = new BlockCache(cacheBytes ?? CACHE_BYTES);
    this.#files = files;
    this.#opened = new OpenFiles(files.disk, OPEN_SEGMENTS);
    this.#segmentRecords = segmentRecords ?? SEGMENT_RECORDS;
    this.#kept = new KeptRecords(recordBytes ?? RECORD_BYTES);
  }

  segmentsOf(log: string): Segments {
    let segments = this.segments.get(log);
    if (!segments) {
      segments = new Segments({
        files: this.#files,
        opened: this.#opened,
        kept: this.#kept,
        size: this.#segmentRecords,
        nextNumber: () => ++this.lastSegment,
      });
      this.segments.set(log, segments);
    }
    return segments;
  }

  /** Closes the files of the layers and of old records; a read that is still under way is refused. */
  async close(): Promise<void> {
    await this.#opened.close();
    for (const layer of this.tables.below) if (layer instanceof FileLayer) await layer.close();
  }

  /** The documents below that `apply` needs for these changes. */
  beneath(changes: readonly StoreChange[]): Beneath {
    this.tables.expire();
    const refs = changes.flatMap((change) =>
      change[0] === 'put' || change[0] === 'delete' ? [{ collection: change[1], id: change[2] }] : [],
    );
    return this.tables.beneath(refs);
  }
}
