import { isMeshError, type Log } from '../../core/plugin.ts';
import type { Clock, LedgerAccounts, Space } from '../../core/services.ts';
import type { Deposits } from './deposits.ts';
import { fits, heldAt, READ_AT_ONCE } from './held.ts';
import { addresses, type DepositAddress } from './stored.ts';

export interface WatchedAddressesOptions {
  readonly space: Space;
  readonly ledger: LedgerAccounts;
  readonly clock: Clock;
  readonly log: Log;
  readonly deposits: Deposits;
}

/** The most of one run, ten reads: those that were due first go first. */
const BATCH = 1_000;
const PARALLEL = 8;
const REST_MS = 10_000;

/**
 * Looks at the addresses whose agents asked for them of late. Their balances come a hundred with one read, and only the history of one that
 * holds something else than the books say is read: thousands of keys that keep asking and pay nothing delay nobody by more than a few reads.
 */
export class WatchedAddresses {
  readonly #options: WatchedAddressesOptions;
  #resting = 0;

  constructor(options: WatchedAddressesOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { space, clock, ledger, log } = this.#options;
    if (!ledger.cluster || clock.now() < this.#resting) return;
    const due = await space.page(addresses, { index: 'due', to: [clock.now() + 1], limit: BATCH });
    const rows = due.map(({ value }) => value);
    try {
      for (let first = 0; first < rows.length && !signal.aborted; first += READ_AT_ONCE)
        await this.#lookAt(rows.slice(first, first + READ_AT_ONCE), signal);
    } catch (error) {
      if (!isMeshError(error)) throw error;
      log.warn({ reason: String(error) }, 'the balances of watched deposit addresses could not be read');
      this.#resting = clock.now() + REST_MS;
    }
  }

  async #lookAt(rows: readonly DepositAddress[], signal: AbortSignal): Promise<void> {
    const { deposits, clock } = this.#options;
    const held = await heldAt(this.#options, rows);
    const now = clock.now();
    const busy = rows.filter((row, index) => deposits.hasWork(row, now) || !fits(row, held[index]!));
    await this.#quiet(rows.filter((row) => !busy.includes(row)));
    for (let first = 0; first < busy.length && !signal.aborted; first += PARALLEL)
      await Promise.all(busy.slice(first, first + PARALLEL).map((row) => deposits.look(row)));
  }

  /** Nothing came to these. */
  async #quiet(rows: readonly DepositAddress[]): Promise<void> {
    if (rows.length === 0) return;
    const { space, deposits, clock } = this.#options;
    const refs = rows.map(({ agent }) => addresses.ref(agent));
    await space.tx(refs, (tx) => {
      for (const [index, ref] of refs.entries()) {
        const found = tx.get(ref);
        // An agent asked for it meanwhile, or the round woke it: it is looked at anew.
        if (!found || found.due !== rows[index]!.due) continue;
        const { due: _, ...rest } = found;
        const due = deposits.dueAfter(rest, clock.now());
        tx.put(ref, { ...rest, ...(due !== undefined && { due }) });
      }
    });
  }
}
