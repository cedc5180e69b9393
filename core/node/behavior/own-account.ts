import type { LedgerTime, Settlement } from '../../ledger/settlement.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AgentAccount } from '../../protocol/settlement/accounts.ts';

export interface OwnAccountOptions {
  readonly settlement: Settlement;
  /** The node's key in base58. */
  readonly key: string;
  readonly clock: Clock;
}

export interface OwnReading {
  /** The finalised slot at which the account was so. */
  readonly slot: number;
  /** Undefined while the key has no account. */
  readonly agent: AgentAccount | undefined;
  readonly time: LedgerTime;
}

const LONGEST_MS = 300_000;
/** A reading is reused for at most this share of the time to answer an accusation. */
const SHARE = 100;

/**
 * The account of this node's key and the ledger's clock, read once for all duties of the node. Its readings never go
 * back: each is at the slot of the one before or later.
 */
export class OwnAccount {
  readonly #options: OwnAccountOptions;
  #latest: { readonly reading: OwnReading; readonly at: number } | undefined;
  /** The newest slot that was read. */
  #slot = 0;
  /** Something was done at this slot: what was read before says nothing any more. */
  #changed = 0;

  constructor(options: OwnAccountOptions) {
    this.#options = options;
  }

  /** Milliseconds for which a reading shows that nothing is owed. */
  get reuse(): number {
    return Math.min(LONGEST_MS, (this.#options.settlement.numbers.responseSecs * 1_000) / SHARE);
  }

  /** To see whether there is anything to do: a reading of this epoch, which may be some minutes old. */
  async recent(): Promise<OwnReading> {
    const latest = this.#latest;
    const { clock, settlement } = this.#options;
    const now = clock.now();
    const fits =
      latest &&
      now >= latest.at &&
      now - latest.at < this.reuse &&
      latest.reading.slot >= this.#changed &&
      Math.floor(now / 1_000 / settlement.numbers.epochSecs) <= latest.reading.time.epoch;
    return fits ? latest.reading : this.read();
  }

  /**
   * To decide by: read now. Rejects with `ledger_unavailable` where the ledger's node is behind `atLeast`. The reading
   * is finalised, so a transaction that was confirmed lately may not be in it yet.
   */
  async read(atLeast = 0): Promise<OwnReading> {
    const { settlement, key, clock } = this.#options;
    const at = clock.now();
    const floor = Math.max(atLeast, this.#slot);
    const [time, { slot, value }] = await Promise.all([settlement.time(), settlement.agents([key], floor)]);
    const reading = { slot, time, agent: value[0] };
    if (slot >= this.#slot) this.#latest = { reading, at };
    this.#slot = Math.max(this.#slot, slot);
    return reading;
  }

  /** Something was done to the account, and the ledger has confirmed it at that slot. */
  changed(slot: number): void {
    this.#changed = Math.max(this.#changed, slot);
  }

  /** The next look reads. */
  expire(): void {
    this.#latest = undefined;
  }
}
