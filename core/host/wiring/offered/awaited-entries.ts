import type { RecordedTransactions } from '../../../ledger/recorded-transactions.ts';
import { addEntry, type HistoryDraft, historyRef } from '../../../node/history/entries.ts';
import { collection } from '../../../storage/declarations.ts';
import type { Found } from '../../../storage/pages.ts';
import type { Space } from '../../../storage/space.ts';
import type { Tx } from '../../../storage/transaction.ts';

/** An entry whose transaction is not final yet. */
interface Awaited {
  /** Of the history, once it is there. */
  readonly name: string;
  readonly draft: HistoryDraft;
  readonly at: number;
}

const DAY_MS = 24 * 3_600_000;
const BATCH = 100;

/** By the name of the transaction. Longer than an outcome is remembered nobody can say how it ended. */
const awaited = collection<Awaited, 'age'>('awaited-entries', {
  schema: () => [],
  ttl: 90 * DAY_MS,
  indexes: { age: ({ at }) => [at] },
});

/**
 * Entries of the history for transactions of plugins. Each is kept beside the transaction before that is sent, and written once
 * it is final, so neither a crash nor a plugin that is gone loses it.
 */
export class AwaitedEntries {
  readonly #space: Space;
  readonly #history: Space;
  readonly #recorded: Pick<RecordedTransactions, 'find'>;

  constructor(space: Space, history: Space, recorded: Pick<RecordedTransactions, 'find'>) {
    this.#space = space;
    this.#history = history;
    this.#recorded = recorded;
  }

  /** In the transaction that claims the name for what is about to be sent. */
  keep(tx: Tx, transaction: string, entry: Omit<Awaited, 'at'>): void {
    tx.put(awaited.ref(transaction), { ...entry, at: tx.now });
  }

  /** Nothing was sent under the name. */
  forget(tx: Tx, transaction: string): void {
    tx.del(awaited.ref(transaction));
  }

  /**
   * Writes the entries whose transactions are final by now, and forgets those that never will be; gives when to look again, and Infinity while
   * there are none.
   */
  async settle(now: number, signal: AbortSignal): Promise<number> {
    for (let after: Found<Awaited> | undefined; !signal.aborted; ) {
      const found: Found<Awaited>[] = await this.#space.page(awaited, { index: 'age', limit: BATCH, after });
      for (const { id, value } of found) if (!signal.aborted) await this.settleOne(id, now, value);
      if (found.length < BATCH) return found.length === 0 && !after ? Number.POSITIVE_INFINITY : 0;
      after = found.at(-1);
    }
    return 0;
  }

  async settleOne(transaction: string, now: number, known?: Awaited): Promise<void> {
    const entry = known ?? (await this.#space.get(awaited.ref(transaction)));
    if (!entry) return;
    const state = await this.#recorded.find(transaction);
    if (state?.status === 'recorded' || state?.revocable) return;
    // A crash between the claim and the record leaves an entry of nothing.
    if (!state && entry.at + DAY_MS > now) return;
    const { name, draft } = entry;
    if (state?.status === 'confirmed') {
      const ref = historyRef(name);
      await this.#history.tx([ref], (tx) => {
        if (!tx.get(ref)) addEntry(tx, name, draft, state.signature);
      });
    }
    await this.#space.del(awaited.ref(transaction));
  }
}
