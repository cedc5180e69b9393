import type { PreparedTransaction } from '../../ledger/ledger.ts';
import type { LandedTransaction, RecordedTransactions, TransactionState } from '../../ledger/recorded-transactions.ts';
import type { CarryOutOptions } from '../../ledger/step-done.ts';
import type { Log } from '../../platform/log.ts';
import { OneByOne } from '../../platform/one-by-one.ts';
import type { Found } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import { addEntry } from '../history/entries.ts';
import type { Caps } from './caps.ts';
import { type LateSpending, recordedReservation, reservationOf, type Spending, spendings } from './spendings.ts';

export interface CountedTransactionsOptions {
  readonly space: Space;
  readonly caps: Caps;
  readonly transactions: Pick<RecordedTransactions, 'carryOut' | 'find'>;
  readonly log: Log;
}

const BATCH = 100;

/**
 * Ledger transactions that cost USDC. The cost is reserved durably before the transaction is made, so calls at the same
 * moment cannot pass a cap together and a crash forgets nothing. The reservation is released once the ledger certainly
 * did not take the transaction.
 */
export class CountedTransactions {
  readonly #options: CountedTransactionsOptions;
  /** The newest work on each name: one at a time, so that nothing is given back while it is spent again. */
  readonly #turns = new OneByOne();

  constructor(options: CountedTransactionsOptions) {
    this.#options = options;
  }

  /** As `RecordedTransactions.carryOut` under the spending's name; rejects with `spending_cap`, too. */
  carryOut(
    spending: Spending | LateSpending,
    prepare: () => Promise<PreparedTransaction>,
    signal: AbortSignal,
    options?: CarryOutOptions,
  ): Promise<LandedTransaction> {
    const { name } = spending;
    const { transactions } = this.#options;
    const counted = async () => {
      await this.#reserve('of' in spending ? await spending.of() : spending);
      return prepare();
    };
    return this.#turns.run(name, async () => {
      try {
        const landed = await transactions.carryOut(name, counted, signal, options);
        await this.#settle(name).catch(() => undefined);
        return landed;
      } catch (error) {
        // The job settles what cannot be settled now.
        if (!signal.aborted) await this.#settle(name).catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Settles reservations whose transactions have no known outcome yet, also those that a crash left; gives when to look again, and Infinity
   * while there are none.
   */
  async run(signal: AbortSignal): Promise<number> {
    const { space, log } = this.#options;
    for (let after: Found<unknown> | undefined; !signal.aborted; ) {
      const unsettled = await space.page(spendings, { index: 'unsettled', limit: BATCH, after });
      for (const { id } of unsettled) {
        if (signal.aborted) return 0;
        if (this.#turns.isBusy(id)) continue;
        await this.#turns
          .run(id, () => this.#settle(id))
          .catch((error: unknown) =>
            log.warn({ spending: id, reason: String(error) }, 'a spending could not be settled; it counts meanwhile'),
          );
      }
      if (unsettled.length < BATCH) return unsettled.length === 0 && !after ? Number.POSITIVE_INFINITY : 0;
      after = unsettled.at(-1);
    }
    return 0;
  }

  /** Minor units that are reserved and have not left the wallet yet. */
  async reserved(): Promise<bigint> {
    const { space, transactions } = this.#options;
    let sum = 0n;
    for (let after: Found<unknown> | undefined; ; ) {
      const unsettled = await space.page(spendings, { index: 'unsettled', limit: BATCH, after });
      for (const { id, value } of unsettled) {
        const state = await transactions.find(id);
        if (state?.status === 'recorded' || (this.#turns.isBusy(id) && state?.status !== 'confirmed'))
          sum += BigInt(value.amount);
      }
      if (unsettled.length < BATCH) return sum;
      after = unsettled.at(-1);
    }
  }

  /** The state of the newest transaction of a name. */
  find(name: string): Promise<TransactionState | undefined> {
    return this.#options.transactions.find(name);
  }

  async #reserve(spending: Spending): Promise<void> {
    const { space, caps } = this.#options;
    const reservation = reservationOf(caps, spending, false);
    await space.tx(reservation.reads, (tx) => reservation.reserve(tx));
  }

  /** Releases the reservation of a transaction that did not happen, and settles the one of a transaction that did. */
  async #settle(name: string): Promise<void> {
    const { space, caps, transactions } = this.#options;
    const ref = spendings.ref(name);
    const [state, record] = await Promise.all([transactions.find(name), space.get(ref)]);
    // One that the ledger may take back is looked at again.
    if (!record || state?.status === 'recorded' || (state?.status === 'confirmed' && state.revocable)) return;
    const reservation = recordedReservation(caps, name, record);
    await space.tx(reservation.reads, (tx) => {
      const found = tx.get(ref);
      if (!found) return;
      if (state?.status !== 'confirmed') return reservation.release(tx);
      if (found.settled) return;
      const { entry, ...rest } = found;
      tx.put(ref, { ...rest, settled: true });
      if (entry) addEntry(tx, `spending/${name}/${state.signature}`, entry, state.signature);
    });
  }
}
