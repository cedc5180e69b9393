import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField, MeshError } from '../../contracts/errors.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { EpochJournal, EpochState } from '../../messaging/epoch-journal.ts';
import { KEPT_EPOCHS } from '../../messaging/nonces.ts';
import { toHex } from '../../platform/bytes.ts';
import { findList, type LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import { leafOf } from '../../protocol/batches/leaf-list.ts';
import { leafCount, merklePath, merkleRoot } from '../../protocol/batches/merkle.ts';
import { epochOfNonce, seqOfNonce } from '../../protocol/envelopes/epochs.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { SubmittedBatch } from '../../protocol/settlement/accounts.ts';
import type { BatchBook } from './batch-book.ts';

export interface BatchViewsOptions {
  readonly book: BatchBook;
  readonly journal: EpochJournal;
  readonly archives: readonly LeafArchive[];
  readonly network: Network;
  readonly settlement: Settlement | undefined;
  /** The node's key in base58. */
  readonly key: string;
}

type Summary = SchemaTypes['batch-summary'];
type Proof = SchemaTypes['batch-proof'];

/** Batches as the API shows them: this node's own from its journal, others' from the ledger and the aggregators. */
export class BatchViews {
  readonly #options: BatchViewsOptions;

  constructor(options: BatchViewsOptions) {
    this.#options = options;
  }

  async summary(key: string, epoch: number): Promise<Summary> {
    const mine = key === this.#options.key;
    const [own, entry] = await Promise.all([mine ? this.#own(epoch) : undefined, this.#entry(key, epoch, mine)]);
    if (!own && !entry) throw noBatch(key, epoch);
    return { ...(own ?? this.#foreign(key, entry!)), ...(entry && this.#onLedger(entry)) };
  }

  async proof(key: string, epoch: number, nonce: number): Promise<Proof> {
    if (epochOfNonce(nonce) !== epoch) throw invalidField('/nonce', 'is not of this epoch');
    const seq = seqOfNonce(nonce);
    const leaves = key === this.#options.key ? await this.#ownLeaves(epoch) : await this.#foreignLeaves(key, epoch);
    if (!leaves) throw noBatch(key, epoch);
    const leaf = leafOf(leaves, seq);
    if (!leaf) throw new MeshError('not_found', `The batch of epoch ${epoch} has no envelope number ${seq}.`);
    return {
      agent_id: key,
      epoch,
      nonce,
      index: seq - 1,
      count: leafCount(leaves),
      root: toHex(merkleRoot(leaves)),
      leaf: toHex(leaf),
      siblings: merklePath(leaves, seq - 1).map(toHex),
    };
  }

  async #own(epoch: number): Promise<Summary | undefined> {
    const { book, journal, key } = this.#options;
    const [view, record] = await Promise.all([journal.view(epoch), book.record(epoch)]);
    if (epoch > journal.current || (!record && epoch < journal.current - KEPT_EPOCHS)) return undefined;
    const leaves = record ? undefined : await book.signed(epoch);
    return {
      agent_id: key,
      epoch,
      state: this.#stateOf(epoch, view.state),
      message_count: record?.count ?? leafCount(leaves!),
      log_merkle_root: record?.root ?? toHex(merkleRoot(leaves!)),
      submitted_at: record?.submitted ? iso(record.submitted.at) : null,
      challenge_until: null,
      ...(record?.submitted?.signature && { signature: record.submitted.signature }),
      ...(record && { leaf_lists: record.lists }),
      ...(view.why !== undefined && { why: view.why }),
    };
  }

  /** An epoch is over by the clock, whether or not somebody has closed it. */
  #stateOf(epoch: number, state: EpochState): Summary['state'] {
    if (state === 'forgotten') return 'complete';
    return state === 'open' && epoch < this.#options.journal.current ? 'complete' : state;
  }

  #foreign(key: string, { epoch, count, root, submittedAt }: SubmittedBatch): Summary {
    const at = iso(submittedAt * 1_000);
    const head = { agent_id: key, epoch, state: 'submitted', message_count: count, log_merkle_root: root } as const;
    return { ...head, submitted_at: at, challenge_until: null };
  }

  #onLedger({ submittedAt }: SubmittedBatch): Pick<Summary, 'state' | 'submitted_at' | 'challenge_until'> {
    const until = submittedAt + this.#options.settlement!.numbers.challengeSecs;
    return { state: 'submitted', submitted_at: iso(submittedAt * 1_000), challenge_until: iso(until * 1_000) };
  }

  /** The ledger's entry. Of our own batches the journal knows enough when the ledger does not answer. */
  async #entry(key: string, epoch: number, mine: boolean): Promise<SubmittedBatch | undefined> {
    const { settlement } = this.#options;
    try {
      const agent = await settlement?.agent(key);
      return agent?.batches.find((batch) => batch.epoch === epoch);
    } catch (error) {
      if (mine) return undefined;
      throw error;
    }
  }

  async #ownLeaves(epoch: number): Promise<Uint8Array | undefined> {
    const { book, journal } = this.#options;
    const kept = await book.leaves(epoch);
    if (kept) return kept;
    if (this.#stateOf(epoch, (await journal.view(epoch)).state) === 'open')
      throw new MeshError('not_found', `Epoch ${epoch} is not closed yet, so there is nothing to prove.`);
    const leaves = await book.signed(epoch);
    return leaves.length === 0 ? undefined : leaves;
  }

  async #foreignLeaves(key: string, epoch: number): Promise<Uint8Array | undefined> {
    const { archives, network } = this.#options;
    const entry = await this.#entry(key, epoch, false);
    if (!entry) return undefined;
    const list = await findList(archives, { key, epoch, root: entry.root }, network);
    if (list) return list.leaves;
    throw new MeshError('not_found', `No aggregator of this node keeps the leaves of epoch ${epoch} of ${key}.`);
  }
}

function noBatch(key: string, epoch: number): MeshError {
  return new MeshError('not_found', `There is no batch of epoch ${epoch} of ${key} here or on the ledger.`);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
