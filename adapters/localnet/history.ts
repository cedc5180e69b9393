import type { TransactionError } from './engine-errors.ts';
import type { Landed } from './journal-entry.ts';
import { BLOCKHASH_BLOCKS } from './slots.ts';

/** The part of every transaction that is kept decoded; the rest stays text until it is asked for. */
export interface HistoryEntry {
  readonly signature: string;
  readonly slot: number;
  readonly height: number;
  readonly blockTime: number;
  readonly err: TransactionError | null;
  readonly memo: string | null;
  /** Place in the journal. */
  readonly seq: number;
  readonly text: string;
}

/**
 * Every transaction that landed, by signature and by address. Like a node's ledger it is limited: beyond `limit`
 * transactions the oldest are forgotten, though never one whose blockhash is still valid, as it could be sent again.
 */
export class History {
  readonly #limit: number;
  readonly #entries = new Map<string, HistoryEntry>();
  readonly #byAddress = new Map<string, string[]>();
  #firstSlot = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The place in the journal of the oldest transaction still here; undefined when there is none. */
  oldest(): number | undefined {
    return this.#entries.values().next().value?.seq;
  }

  /** From this slot on nothing has been forgotten. */
  get firstSlot(): number {
    return this.#firstSlot;
  }

  /** `text` is the JSON of `landed`. */
  add(landed: Landed, text: string): void {
    const { signature, seq, stamp, meta, memo } = landed;
    const { slot, height, unix } = stamp;
    this.#entries.set(signature, { signature, slot, height, blockTime: unix, err: meta.err, memo, seq, text });
    for (const address of new Set(landed.keys)) {
      const known = this.#byAddress.get(address);
      if (known) known.push(signature);
      else this.#byAddress.set(address, [signature]);
    }
    this.#forget(height);
  }

  get(signature: string): HistoryEntry | undefined {
    return this.#entries.get(signature);
  }

  landed(signature: string): Landed | undefined {
    const entry = this.#entries.get(signature);
    return entry && (JSON.parse(entry.text) as Landed);
  }

  /**
   * Newest first: those before the signature `before`, until the signature `until`, neither included. One of another address ends the list at
   * its slot, as on a cluster.
   */
  *ofAddress(address: string, before?: string, until?: string): Iterable<HistoryEntry> {
    const all = this.#byAddress.get(address) ?? [];
    const start = before === undefined ? all.length : all.lastIndexOf(before);
    const end = until === undefined ? 0 : (this.#entries.get(until)?.slot ?? 0);
    for (let index = start - 1; index >= 0; index--) {
      const entry = this.#entries.get(all[index]!);
      if (!entry || entry.signature === until || entry.slot < end) return;
      yield entry;
    }
  }

  /** Every transaction, newest first. */
  newest(): Iterable<HistoryEntry> {
    return [...this.#entries.values()].reverse();
  }

  #forget(height: number): void {
    for (const [signature, entry] of this.#entries) {
      if (this.#entries.size <= this.#limit || entry.height > height - BLOCKHASH_BLOCKS) return;
      const { keys } = JSON.parse(entry.text) as Landed;
      for (const address of new Set(keys)) {
        const known = this.#byAddress.get(address);
        known?.shift();
        if (known?.length === 0) this.#byAddress.delete(address);
      }
      this.#entries.delete(signature);
      this.#firstSlot = entry.slot + 1;
    }
  }
}
