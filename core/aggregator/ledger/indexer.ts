import type { Settlement } from '../../ledger/settlement.ts';
import type { ExtensionPoints } from '../../messaging/extension-points.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import type { HistoryGap, SettlementEvent } from '../../protocol/settlement/events.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import type { EvidenceJournal } from '../evidence/journal.ts';
import { ledgerEvents, positions, type StoredPosition } from '../store/ledger.ts';
import { entryEffect } from './effects/index.ts';
import { storedEvent } from './stored-event.ts';

export interface IndexerParts {
  readonly space: Space;
  readonly settlement: Settlement;
  readonly epochs: Epochs;
  /** Keeps what scores are made of. */
  readonly evidence?: EvidenceJournal;
  /** The parts that plugins take in recording. */
  readonly plugins?: Pick<ExtensionPoints, 'reading'>;
  readonly log: Log;
  /** Counts entries by event name. */
  readonly indexed: Count;
  /** Counts feedback that had no effect, by reason. */
  readonly dropped: Count;
}

type Entry = SettlementEvent | HistoryGap;
type Place = Pick<StoredPosition, 'cursor' | 'last'>;

const PAGE = 200;
/** The format of the stored accounts. A store with another one reads every account anew. */
const FORMAT = 2;
export const START: StoredPosition = { cursor: null, last: null, gaps: 0, sweep: null, format: FORMAT };

/**
 * Brings the store up to the settlement program's finalised history: each event once and in order, one transaction an
 * event together with how far the history has been read. After a crash it goes on behind the last event taken; several
 * processes on one store share the work without counting anything twice.
 */
export class Indexer {
  readonly #parts: IndexerParts;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, settlement } = this.#parts;
    const ref = positions.ref(settlement.deployment.config);
    await this.#upgrade(ref);
    while (!signal.aborted) {
      const position = (await space.get(ref)) ?? START;
      const { entries, cursor } = await settlement.events(position.cursor ?? undefined, PAGE);
      if (entries.length === 0) {
        if (cursor !== undefined && cursor !== position.cursor) await this.#moveOn(position, cursor);
        return;
      }
      const taken = entries.findIndex((entry) => nameOf(entry) === position.last);
      if (!(await this.#take(entries.slice(taken + 1), position, cursor ?? null, signal))) return;
    }
  }

  async #upgrade(ref: Ref<StoredPosition>): Promise<void> {
    const { space } = this.#parts;
    const stored = await space.get(ref);
    if (!stored || stored.format === FORMAT) return;
    await space.tx([ref], (tx) => {
      const position = tx.get(ref);
      if (position && position.format !== FORMAT) tx.put(ref, { ...position, format: FORMAT, sweep: '' });
    });
  }

  /** False when another process is on it, or the node stops. */
  async #take(
    entries: readonly Entry[],
    from: StoredPosition,
    next: string | null,
    signal: AbortSignal,
  ): Promise<boolean> {
    let { last } = from;
    if (entries.length === 0) return this.#moveOn(from, next);
    for (const [index, entry] of entries.entries()) {
      if (signal.aborted) return false;
      const end = index === entries.length - 1;
      const to = end ? { cursor: next, last: null } : { cursor: from.cursor, last: nameOf(entry) };
      if (!(await this.#recordAnyhow(entry, { cursor: from.cursor, last }, to))) return false;
      last = nameOf(entry);
    }
    return true;
  }

  /** An entry that cannot be recorded becomes a gap: no sender's transaction may keep the index from all behind it. */
  async #recordAnyhow(entry: Entry, from: Place, to: Place): Promise<boolean> {
    try {
      return await this.#record(entry, from, to);
    } catch (error) {
      if (error instanceof StorageError || entry.name === 'gap') throw error;
      const { slot, signature, name } = entry;
      this.#parts.log.error({ err: error, slot, signature, event: name }, 'an event of the ledger could not be taken');
      return this.#record({ name: 'gap', reason: 'unreadable', slot, signature }, from, to);
    }
  }

  async #record(entry: Entry, from: Place, to: Place): Promise<boolean> {
    const { space, settlement, log, indexed, dropped } = this.#parts;
    const ref = positions.ref(settlement.deployment.config);
    const effect = entryEffect(entry, this.#parts);
    const guests = this.#parts.plugins?.reading(entry);
    const reads = [ref, ...(await effect.reads())];
    const { value: reasons } = await space.txBeside(reads, guests?.beside ?? [], (tx, others) => {
      const position = tx.get(ref) ?? START;
      if (position.cursor !== from.cursor || position.last !== from.last) return undefined;
      const gap = entry.name === 'gap' ? { gaps: position.gaps + 1, sweep: '' } : {};
      tx.put(ref, { ...position, ...gap, ...to });
      tx.append(ledgerEvents, storedEvent(entry, tx.now));
      if (entry.name !== 'gap') this.#parts.evidence?.note(tx, 'event', { event: entry });
      const dropped = effect.apply(tx);
      guests?.apply(others);
      return dropped;
    });
    guests?.over();
    if (!reasons) return false;
    indexed({ event: entry.name });
    for (const reason of reasons) dropped({ reason });
    if (entry.name === 'gap')
      log.warn(
        { slot: entry.slot, signature: entry.signature, reason: entry.reason },
        'a part of the ledger history cannot be had any more; every account is read anew',
      );
    return true;
  }

  async #moveOn(from: StoredPosition, next: string | null): Promise<boolean> {
    const { space, settlement } = this.#parts;
    const ref = positions.ref(settlement.deployment.config);
    const { value } = await space.tx([ref], (tx) => {
      const position = tx.get(ref) ?? START;
      if (position.cursor !== from.cursor || position.last !== from.last) return false;
      tx.put(ref, { ...position, cursor: next, last: null });
      return true;
    });
    return value;
  }
}

function nameOf(entry: Entry): string {
  return entry.name === 'gap' ? `gap ${entry.slot} ${entry.signature ?? ''}` : `${entry.signature} ${entry.ordinal}`;
}
