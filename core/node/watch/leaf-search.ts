import type { Settlement } from '../../ledger/settlement.ts';
import { toHex } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { HASH_LENGTH } from '../../protocol/batches/merkle.ts';
import type { AccusationAccount } from '../../protocol/settlement/accounts.ts';
import type { Space } from '../../storage/space.ts';
import type { BatchBook } from '../behavior/batch-book.ts';
import type { OwnReading } from '../behavior/own-account.ts';
import type { OwnLeaves, WholeBatch } from './own-leaves.ts';
import { readAccusations } from './read-accusations.ts';
import { leafSearch } from './watch-records.ts';

export interface LeafSearchOptions {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly book: BatchBook;
  readonly leaves: OwnLeaves;
  readonly key: string;
  readonly clock: Clock;
  /** Milliseconds from one step to the next. */
  readonly pause: number;
}

export interface SearchStep {
  readonly found: readonly AccusationAccount[];
  /** Every leaf that can be had was looked at since the number of open accusations last rose. */
  readonly over: boolean;
  /** Epochs of batches whose leaves neither this node nor an aggregator has. */
  readonly unread: readonly number[];
}

type Progress = NonNullable<Awaited<ReturnType<typeof readProgress>>>;

/** The least and the most leaves of one step. */
const FEWEST = 5_000;
const MOST = 40_000;
/** Leaves read from the store at once. */
const PART = 2_000;
/** A search is to be over after this share of the time to answer. */
const SHARE = 8;
/** A search that found too little begins again after this share of the time to answer. */
const REST = 20;
/** The same while leaves of a batch could not be had: an aggregator may come back. */
const SHORT_REST = 100;

/**
 * Finds accusations of this key that no event told of. An accusation's address follows from the id of the accused
 * envelope, and that is a leaf of a batch of this key, so every leaf that can be accused is looked up, newest batch
 * first, some in each step.
 */
export class LeafSearch {
  readonly #options: LeafSearchOptions;

  constructor(options: LeafSearchOptions) {
    this.#options = options;
  }

  /** One step; `known` are the ids that need not be looked up. */
  async step(reading: OwnReading, known: ReadonlySet<string>, signal: AbortSignal): Promise<SearchStep> {
    const { space, clock } = this.#options;
    const open = reading.agent?.open ?? 0;
    const before = await readProgress(space);
    if (before && before.epoch === null && !this.#mayBegin(before, open))
      return { found: [], over: true, unread: before.unread };
    const batches = await this.#batches(reading);
    const fresh = { open, epoch: batches[0]?.epoch ?? null, leaf: 0, unread: [] };
    let progress: Progress = { ...(before && before.epoch !== null ? before : fresh), at: clock.now() };
    const found: AccusationAccount[] = [];
    let room = this.#leavesOfStep(batches);
    for (const batch of batches) {
      while (progress.epoch !== null && batch.epoch <= progress.epoch && room > 0 && !signal.aborted) {
        if (batch.epoch < progress.epoch) progress = { ...progress, epoch: batch.epoch, leaf: 0 };
        const to = Math.min(progress.leaf + PART, batch.count);
        const part = await this.#options.leaves.some(batch, { from: progress.leaf, to });
        if (part) found.push(...(await this.#lookUp(part, reading.slot, known)));
        else progress = { ...progress, unread: [...progress.unread, batch.epoch] };
        room -= to - progress.leaf;
        progress = { ...progress, leaf: part ? to : batch.count };
        if (progress.leaf >= batch.count) break;
      }
    }
    const last = batches.at(-1);
    const complete = !last || progress.epoch === null || (progress.epoch <= last.epoch && progress.leaf >= last.count);
    if (complete) progress = { ...progress, epoch: null };
    await space.put(leafSearch, progress);
    return { found, over: complete && progress.open >= open, unread: progress.unread };
  }

  /** Everything is accounted for. */
  async end(): Promise<void> {
    const { space } = this.#options;
    if (await readProgress(space)) await space.del(leafSearch);
  }

  #mayBegin({ open: then, at, unread }: Progress, open: number): boolean {
    const { clock, settlement, pause } = this.#options;
    const share = unread.length > 0 ? SHORT_REST : REST;
    const rest = Math.max(pause, (settlement.numbers.responseSecs * 1_000) / share);
    return open > then || clock.now() >= at + rest || clock.now() < at;
  }

  /**
   * The batches in the agent's account, which can be accused, and those this node submitted before, which could be;
   * newest first. Accusations of epochs that a slash has settled still count as open.
   */
  async #batches({ agent }: OwnReading): Promise<readonly WholeBatch[]> {
    const ring = agent?.batches ?? [];
    const kept = await this.#options.book.submitted();
    const others = kept.filter(({ epoch }) => !ring.some((batch) => batch.epoch === epoch));
    const all: WholeBatch[] = [...ring, ...others].filter(({ count }) => count > 0);
    return all.sort((a, b) => b.epoch - a.epoch);
  }

  #leavesOfStep(batches: readonly WholeBatch[]): number {
    const { settlement, pause } = this.#options;
    const steps = (settlement.numbers.responseSecs * 1_000) / SHARE / pause;
    const all = batches.reduce((sum, { count }) => sum + count, 0);
    return Math.min(MOST, Math.max(FEWEST, Math.ceil(all / steps)));
  }

  #lookUp(part: Uint8Array, slot: number, known: ReadonlySet<string>): Promise<readonly AccusationAccount[]> {
    const { settlement, key } = this.#options;
    const ids = Array.from({ length: part.length / HASH_LENGTH }, (_, leaf) =>
      toHex(part.subarray(leaf * HASH_LENGTH, (leaf + 1) * HASH_LENGTH)),
    );
    const asked = ids.filter((id) => !/^0+$/.test(id) && !known.has(id));
    return readAccusations(settlement, key, asked, slot).then(({ accounts }) => accounts);
  }
}

function readProgress(space: Space) {
  return space.get(leafSearch);
}
