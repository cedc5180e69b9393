import type { Block } from './block.ts';
import type { KeyHash } from './bloom.ts';
import type { Document } from './document.ts';

/**
 * One key of a run. `delta` is this layer's change to the layers below: 1 when the key comes in, -1 when it goes, 0
 * when it stays and only its document changes. So the deltas of a key over all layers add up to 1 where the key is
 * present, and to 0 where it is not; and the deltas of all keys below one add up to its rank.
 */
export interface Item {
  /** A string of bytes; see texts.ts. */
  readonly key: string;
  readonly delta: number;
  /** The document under the key; undefined where it is gone, or in a run of bare keys. */
  readonly document: Document | undefined;
}

/** Keys in order. Everything here may throw Missing where blocks of a file have to be read first. */
export interface Run {
  /** The sum of all deltas. */
  readonly total: number;
  /** How many keys. */
  readonly size: number;
  /** `hash` is that of the key: a caller that looks through several filtered runs makes it once. */
  find(key: string, hash?: KeyHash): Item | undefined;
  /** Whether a filter is asked before keys are looked up. */
  readonly isFiltered: boolean;
  /** The sum of the deltas below a key. */
  below(key: string): number;
  /** A cursor in front of the first key that is not below this one. */
  cursor(key: string): Cursor;
  /** Keys that divide the run into parts of a bounded number of keys, ascending. */
  readonly parts: number;
  partKey(part: number): string;
}

/** Stands in front of an item, or at the end. */
export interface Cursor {
  /** The item behind the cursor; undefined at the end. */
  peek(): Item | undefined;
  /** The item in front of the cursor; undefined at the beginning. */
  peekBack(): Item | undefined;
  next(): void;
  back(): void;
}

/** The runs of one moment. Their names are made in run-names.ts. */
export interface Layer {
  run(name: string): Run | undefined;
}

/** An item of the layer that is written to; it changes with it. */
export class MemoryItem implements Item {
  readonly key: string;
  delta: number;
  document: Document | undefined;

  constructor(key: string, delta: number, document: Document | undefined) {
    this.key = key;
    this.delta = delta;
    this.document = document;
  }
}

/** An item of a block, decoded when it is asked for. */
export class StoredItem implements Item {
  readonly key: string;
  readonly delta: number;
  readonly #block: Block;
  readonly #place: number;

  constructor(key: string, delta: number, block: Block, place: number) {
    this.key = key;
    this.delta = delta;
    this.#block = block;
    this.#place = place;
  }

  get document(): Document | undefined {
    return this.#block.document(this.#place);
  }
}
