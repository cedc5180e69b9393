import { findList, type LeafArchive } from '../../behavior/leaf-archive.ts';
import { leafOf } from '../../behavior/leaf-list.ts';
import { merklePath, merkleRoot } from '../../behavior/merkle.ts';
import { toHex } from '../../bytes.ts';
import { isMeshError } from '../../errors.ts';
import type { Network } from '../../identity/network.ts';
import type { LedgerSteps } from '../../ledger/ledger-steps.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { Log } from '../../log.ts';
import type { Space } from '../../storage/space.ts';
import type { Alarms } from '../alarms.ts';
import type { BatchBook } from '../behavior/batch-book.ts';
import { type AccusationRecord, accusations, closeAccusation } from './watch-records.ts';

export interface DefenceOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly steps: LedgerSteps;
  readonly book: BatchBook;
  readonly archives: readonly LeafArchive[];
  readonly network: Network;
  readonly key: string;
  readonly alarms: Alarms;
  readonly log: Log;
}

const PAGE = 50;

/** Answers accusations of this node's own key with the path from the accused envelope to the root of its batch. */
export class Defence {
  readonly #options: DefenceOptions;

  constructor(options: DefenceOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, key } = this.#options;
    for (const { value } of await space.page(accusations, { index: 'open', limit: PAGE })) {
      if (signal.aborted) return;
      if (value.key === key) await this.#answer(value, signal);
    }
  }

  async #answer(record: AccusationRecord, signal: AbortSignal): Promise<void> {
    const { settlement, steps, key, log } = this.#options;
    const { id, accuser } = record;
    const open = await settlement.accusation(key, id);
    if (!open) return this.#close(record, 'convicted');
    const leaves = await this.#leaves(record.epoch, open.root);
    const leaf = leaves && leafOf(leaves, record.index + 1);
    if (!leaves || !leaf || toHex(leaf) !== id) return this.#despair(record);
    const siblings = merklePath(leaves, record.index);
    try {
      await steps.run(`answer:${id}`, { type: 'answer', key, id, accuser, siblings }, signal);
    } catch (error) {
      // Somebody else may have answered first.
      if (!isMeshError(error) || error.code !== 'not_found') throw error;
    }
    log.info({ id, epoch: record.epoch, accuser }, 'an accusation was answered');
    await this.#close(record, 'answered');
  }

  /** The leaves of that root: our own, or those that an aggregator keeps for us. */
  async #leaves(epoch: number, root: string): Promise<Uint8Array | undefined> {
    const { book, archives, network, key } = this.#options;
    const own = await book.leaves(epoch);
    if (own && toHex(merkleRoot(own)) === root) return own;
    return (await findList(archives, { key, epoch, root }, network))?.leaves;
  }

  /** It is tried again with every run: an aggregator may come back. */
  #despair(record: AccusationRecord): void {
    this.#options.alarms.raise(
      `accused-${record.id}`,
      `This agent is accused of leaving envelope ${record.id} out of its batch of epoch ${record.epoch}, and neither this node nor its aggregators hold leaves that contain it. Without an answer half of the stake is slashed: look for a backup of the data folder, and ask who else keeps its leaf lists.`,
    );
  }

  /** The events of the ledger, when they are read, have the last word. */
  async #close(record: AccusationRecord, state: AccusationRecord['state']): Promise<void> {
    this.#options.alarms.clear(`accused-${record.id}`);
    await closeAccusation(this.#options.space, record, state);
  }
}
