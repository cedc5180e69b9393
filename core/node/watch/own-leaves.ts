import { setImmediate as aTurn } from 'node:timers/promises';
import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { largeTree } from '../../protocol/batches/large-tree.ts';
import { findList, type LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import { leafOf } from '../../protocol/batches/leaf-list.ts';
import { HASH_LENGTH } from '../../protocol/batches/merkle.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { BatchBook } from '../behavior/batch-book.ts';

export interface OwnLeavesOptions {
  readonly book: BatchBook;
  readonly archives: readonly LeafArchive[];
  readonly network: Network;
  readonly key: string;
  readonly clock: Clock;
  /** Milliseconds before archives that had nothing are asked again. */
  readonly pause: number;
}

export interface BatchName {
  readonly epoch: number;
  readonly root: string;
}

export interface WholeBatch extends BatchName {
  readonly count: number;
}

interface KnownTree {
  readonly name: string;
  holds(index: number, id: string): boolean;
  path(index: number): readonly Uint8Array[];
}

/** Some leaves of a batch. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The leaves of this key's batches: those the node kept, or, where its disk was lost, those that aggregators keep for it.
 * Of lists and trees the latest is remembered, because accusations and looks come in rows.
 */
export class OwnLeaves {
  readonly #options: OwnLeavesOptions;
  #fetched: { readonly name: string; readonly leaves: Uint8Array } | undefined;
  #tree: KnownTree | undefined;
  readonly #missing = new Map<string, number>();

  constructor(options: OwnLeavesOptions) {
    this.#options = options;
  }

  /** Undefined where neither this node nor an aggregator that answers has them. */
  async some(batch: BatchName, { from, to }: LeafRange): Promise<Uint8Array | undefined> {
    const kept = await this.#kept(batch, { from, to });
    return kept ?? (await this.#fetch(batch))?.subarray(from * HASH_LENGTH, to * HASH_LENGTH);
  }

  /** The way from the leaf at `index` to the root; undefined where no leaves are known that hold `id` there. */
  async path(batch: WholeBatch, index: number, id: string): Promise<readonly Uint8Array[] | undefined> {
    const whole = { from: 0, to: batch.count };
    for (const leaves of [() => this.#kept(batch, whole), () => this.#fetch(batch)]) {
      const tree = await this.#treeOf(batch, leaves);
      if (tree?.holds(index, id)) return tree.path(index);
    }
    return undefined;
  }

  /** Drops the leaves and trees in memory: only accusations need them. */
  release(): void {
    this.#fetched = undefined;
    this.#tree = undefined;
    this.#missing.clear();
  }

  async #treeOf(batch: BatchName, read: () => Promise<Uint8Array | undefined>): Promise<KnownTree | undefined> {
    const name = nameOf(batch);
    if (this.#tree?.name === name) return this.#tree;
    const leaves = await read();
    const tree = leaves && (await largeTree(leaves, aTurn));
    if (!tree || toHex(tree.root) !== batch.root) return undefined;
    const holds = (index: number, id: string) => toHex(leafOf(leaves, index + 1) ?? new Uint8Array()) === id;
    this.#tree = { name, holds, path: (index) => tree.path(index) };
    return this.#tree;
  }

  async #kept({ epoch, root }: BatchName, { from, to }: LeafRange): Promise<Uint8Array | undefined> {
    const { book } = this.#options;
    const record = await book.record(epoch);
    return record?.root === root ? book.someLeaves(record, from, to) : undefined;
  }

  async #fetch(batch: BatchName): Promise<Uint8Array | undefined> {
    const { archives, key, network, clock, pause } = this.#options;
    const name = nameOf(batch);
    if (this.#fetched?.name === name) return this.#fetched.leaves;
    if (clock.now() < (this.#missing.get(name) ?? 0)) return undefined;
    const list = await findList(archives, { key, ...batch }, network);
    if (!list) {
      this.#missing.set(name, clock.now() + pause);
      return undefined;
    }
    this.#missing.delete(name);
    this.#fetched = { name, leaves: list.leaves };
    return list.leaves;
  }
}

function nameOf({ epoch, root }: BatchName): string {
  return `${epoch}:${root}`;
}
