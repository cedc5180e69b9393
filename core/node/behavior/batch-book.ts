import type { EpochJournal } from '../../messaging/epoch-journal.ts';
import { toHex } from '../../platform/bytes.ts';
import { type LeafList, signLeafList } from '../../protocol/batches/leaf-list.ts';
import { HASH_LENGTH, leafCount, merkleRoot } from '../../protocol/batches/merkle.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Identity } from '../../protocol/signer/identity.ts';
import type { Space } from '../../storage/space.ts';
import { type BatchRecord, batches, forgetBatch, keepLeaves, keptLeaves } from './batch-records.ts';

export interface BatchBookOptions {
  readonly space: Space;
  readonly journal: EpochJournal;
  readonly identity: Identity;
  readonly network: Network;
}

/** Epochs whose leaves are kept whatever became of their batch. */
const KEPT = 10;
/** More than are ever kept. */
const MOST_KEPT = 64;

/** The batches of this node's key: made of its journal once, then kept with their leaves as long as they are needed. */
export class BatchBook {
  readonly #options: BatchBookOptions;

  constructor(options: BatchBookOptions) {
    this.#options = options;
  }

  /**
   * Closes an epoch that is over and writes its batch down; again, gives the one written down. Undefined when the
   * journal of the epoch is not whole: then there is no honest batch of it.
   */
  async close(epoch: number): Promise<BatchRecord | undefined> {
    const { space, journal } = this.#options;
    const { state } = await journal.close(epoch);
    if (state === 'tainted') return undefined;
    const known = await this.record(epoch);
    if (known || state !== 'complete') return known;
    const leaves = await this.signed(epoch);
    await keepLeaves(space, epoch, leaves);
    const ref = batches.ref(String(epoch));
    const { value } = await space.tx([ref], (tx) => {
      const root = toHex(merkleRoot(leaves));
      const fresh = {
        epoch,
        count: leafCount(leaves),
        root,
        lists: [],
        compared: [],
        closed_at: tx.now,
        submitted: null,
      };
      const record = tx.get(ref) ?? fresh;
      tx.put(ref, record);
      return record;
    });
    return value;
  }

  record(epoch: number): Promise<BatchRecord | undefined> {
    return this.#options.space.get(batches.ref(String(epoch)));
  }

  /** The leaves of the envelopes that the key has signed in an epoch so far; zeros for a sequence number left out. */
  async signed(epoch: number): Promise<Uint8Array> {
    let leaves = new Uint8Array(64 * HASH_LENGTH);
    let count = 0;
    for await (const { seq, id } of this.#options.journal.leaves(epoch)) {
      while (seq * HASH_LENGTH > leaves.length) leaves = grown(leaves);
      leaves.set(id, (seq - 1) * HASH_LENGTH);
      count = seq;
    }
    return leaves.slice(0, count * HASH_LENGTH);
  }

  /** The leaves of a batch that was written down. */
  async leaves(epoch: number): Promise<Uint8Array | undefined> {
    const record = await this.record(epoch);
    return record && keptLeaves(this.#options.space, record);
  }

  /** Some of them, from one number to before another. */
  someLeaves(record: BatchRecord, from: number, to: number): Promise<Uint8Array | undefined> {
    return keptLeaves(this.#options.space, record, from, to);
  }

  /** The batches that were submitted and are kept, newest first. */
  async submitted(): Promise<readonly BatchRecord[]> {
    const rows = await this.#options.space.page(batches, { index: 'epoch', reverse: true, limit: MOST_KEPT });
    return rows.map(({ value }) => value).filter(({ submitted }) => submitted !== null);
  }

  /** The same, signed, for those who keep it or check it. */
  async list(epoch: number): Promise<LeafList | undefined> {
    const { identity, network } = this.#options;
    const leaves = await this.leaves(epoch);
    return leaves && signLeafList(epoch, leaves, identity, network);
  }

  async change(epoch: number, change: (record: BatchRecord, now: number) => BatchRecord): Promise<void> {
    const ref = batches.ref(String(epoch));
    await this.#options.space.tx([ref], (tx) => {
      const record = tx.get(ref);
      if (record) tx.put(ref, change(record, tx.now));
    });
  }

  /**
   * Forgets batches of which no accusation can come or be answered any more: `settled` says so of those that were
   * submitted. The others go when their epoch is long over.
   */
  async tidy(current: number, settled: (record: BatchRecord) => boolean): Promise<void> {
    const { space } = this.#options;
    const old = await space.page(batches, { index: 'epoch', to: [current - KEPT], limit: 50 });
    for (const { value } of old) {
      if (value.submitted === null ? value.epoch < current - 2 * KEPT : settled(value)) await forgetBatch(space, value);
    }
  }
}

function grown(leaves: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * leaves.length);
  larger.set(leaves);
  return larger;
}
