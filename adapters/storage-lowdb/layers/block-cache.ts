import { Latest } from '../latest.ts';
import type { Block } from './block.ts';

type Blocks = Latest<number, Block>;

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
/** Bytes of blocks that a reader who goes through everything has used last: those of one moment in all layers, and some to spare. */
const PASSING_BYTES = 1024 * 1024;

/** The blocks used last, up to a number of bytes. */
export class BlockCache {
  readonly #blocks: Blocks;
  /**
   * Blocks of readers that go through everything. They push no others out, and are let go while they are young: what was old when it
   * is let go takes a collection of the whole heap.
   */
  readonly #passing: Blocks;
  #pinned: Map<number, Block> | undefined;

  constructor(maxBytes: number) {
    this.#blocks = new Latest(maxBytes, bytesOf);
    this.#passing = new Latest(Math.min(maxBytes, PASSING_BYTES), bytesOf);
  }

  /**
   * Runs a function that only reads until all the blocks it needs are in memory at once, and gives the result of that
   * last run: it shows one moment. `once` is for a reader that goes through everything.
   */
  async run<T>(read: () => T, once = false): Promise<T> {
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
      await this.#load(missing.wanted, pinned, once ? this.#passing : this.#blocks);
    }
  }

  /** Throws Missing when it is not in memory. */
  get(source: BlockSource, block: number): Block {
    const name = nameOf(source, block);
    const found = this.#blocks.get(name) ?? this.#pinned?.get(name) ?? this.#passing.get(name);
    if (found) return found;
    throw new Missing([{ source, block }]);
  }

  /** Lets go of the blocks of a file that is not used any more. */
  drop(source: BlockSource): void {
    const first = nameOf(source, 0);
    const end = first + BLOCKS_PER_SOURCE;
    for (const blocks of [this.#blocks, this.#passing]) blocks.drop((name) => first <= name && name < end);
  }

  async #load(wanted: readonly Wanted[], pinned: Map<number, Block>, into: Blocks): Promise<void> {
    const each = new Map(wanted.map((one) => [nameOf(one.source, one.block), one]));
    await Promise.all(
      [...each].map(async ([name, { source, block }]) => {
        try {
          const loaded = await source.load(block);
          pinned.set(name, loaded);
          if (!source.retired) into.keep(name, loaded);
        } catch (error) {
          if (!source.retired) throw error;
        }
      }),
    );
  }
}

const bytesOf = ({ bytes }: Block) => bytes;

function nameOf({ id }: BlockSource, block: number): number {
  return id * BLOCKS_PER_SOURCE + block;
}
