import type { Block } from './block.ts';

/** A file that blocks are read from. */
export interface BlockSource {
  readonly id: number;
  /** No layer needs it any more; a read that is still under way begins again elsewhere. */
  readonly retired: boolean;
  load(block: number): Promise<Block>;
}

interface Wanted {
  readonly source: BlockSource;
  readonly block: number;
}

/**
 * Thrown through a synchronous reader when blocks are not in memory; it then runs again. Not an Error: it is no
 * failure, and nobody reads its stack, which costs more to make than looking for a document.
 */
export class Missing {
  readonly wanted: readonly Wanted[];

  constructor(wanted: readonly Wanted[]) {
    this.wanted = wanted;
  }
}

/** Runs all of them, so that the blocks that any of them misses are read at once. */
export function gather<T, R>(inputs: readonly T[], read: (input: T) => R): R[] {
  const missing: Wanted[] = [];
  const out: R[] = [];
  for (const input of inputs) {
    try {
      out.push(read(input));
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      missing.push(...error.wanted);
    }
  }
  if (missing.length > 0) throw new Missing(missing);
  return out;
}

const BLOCKS_PER_SOURCE = 2 ** 24;

/** The blocks used last, up to a number of bytes. */
export class BlockCache {
  readonly #maxBytes: number;
  readonly #blocks = new Map<number, Block>();
  #bytes = 0;
  #pinned: Map<number, Block> | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Runs a function that only reads until all the blocks it needs are in memory at once, and gives the result of that
   * last run: it shows one moment.
   */
  async run<T>(read: () => T): Promise<T> {
    let pinned: Map<number, Block> | undefined;
    for (;;) {
      this.#pinned = pinned;
      let missing: Missing;
      try {
        return read();
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        missing = error;
      } finally {
        this.#pinned = undefined;
      }
      pinned ??= new Map();
      await this.#load(missing.wanted, pinned);
    }
  }

  /** Throws Missing when it is not in memory. */
  get(source: BlockSource, block: number): Block {
    const name = nameOf(source, block);
    const found = this.#blocks.get(name);
    if (found) {
      this.#blocks.delete(name);
      this.#blocks.set(name, found);
      return found;
    }
    const pinned = this.#pinned?.get(name);
    if (pinned) return pinned;
    throw new Missing([{ source, block }]);
  }

  /** Lets go of the blocks of a file that is not used any more. */
  drop(source: BlockSource): void {
    const first = nameOf(source, 0);
    for (const [name, { bytes }] of this.#blocks) {
      if (name < first || name >= first + BLOCKS_PER_SOURCE) continue;
      this.#blocks.delete(name);
      this.#bytes -= bytes;
    }
  }

  async #load(wanted: readonly Wanted[], pinned: Map<number, Block>): Promise<void> {
    const each = new Map(wanted.map((one) => [nameOf(one.source, one.block), one]));
    await Promise.all(
      [...each].map(async ([name, { source, block }]) => {
        try {
          const loaded = await source.load(block);
          pinned.set(name, loaded);
          if (!source.retired) this.#keep(name, loaded);
        } catch (error) {
          if (!source.retired) throw error;
        }
      }),
    );
  }

  #keep(name: number, block: Block): void {
    if (this.#blocks.has(name)) return;
    this.#blocks.set(name, block);
    this.#bytes += block.bytes;
    for (const [oldest, { bytes }] of this.#blocks) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#blocks.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

function nameOf({ id }: BlockSource, block: number): number {
  return id * BLOCKS_PER_SOURCE + block;
}
