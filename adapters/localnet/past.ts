import type { AccountState } from './engine.ts';

const MAX_CHANGES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface Change {
  readonly slot: number;
  readonly address: string;
  /** As it was until then. */
  readonly before: AccountState | null;
}

/**
 * Former states of accounts, for answers from some slots ago. Bounded in memory: the older half of the changes is
 * forgotten first.
 */
export class Past {
  #from: number;
  #changes: Change[] = [];
  #bytes = 0;
  readonly #ofAddress = new Map<string, Change[]>();

  /** Nothing is known of states before the slot `from`. */
  constructor(from: number) {
    this.#from = from;
  }

  /** The oldest slot that can still be answered for. */
  get from(): number {
    return this.#from;
  }

  record(slot: number, changed: readonly (readonly [address: string, before: AccountState | null])[]): void {
    for (const [address, before] of changed) {
      const known = this.#ofAddress.get(address) ?? [];
      if (known.at(-1)?.slot === slot) continue; // what was in the middle of a slot nobody asks for
      const change = { slot, address, before };
      known.push(change);
      this.#ofAddress.set(address, known);
      this.#changes.push(change);
      this.#bytes += before?.data.length ?? 0;
    }
    if (this.#changes.length > MAX_CHANGES || this.#bytes > MAX_BYTES) this.#forget();
  }

  /** The account at the end of a slot; `now` is what it is today. */
  account(address: string, slot: number, now: () => AccountState | null): AccountState | null {
    const change = this.#ofAddress.get(address)?.find((one) => one.slot > slot);
    return change ? change.before : now();
  }

  /** Every address that has changed since a slot. */
  changedSince(slot: number): ReadonlySet<string> {
    const addresses = new Set<string>();
    for (let index = this.#changes.length - 1; index >= 0 && this.#changes[index]!.slot > slot; index--) {
      addresses.add(this.#changes[index]!.address);
    }
    return addresses;
  }

  #forget(): void {
    const gone = this.#changes.splice(0, Math.ceil(this.#changes.length / 2));
    for (const { address, before } of gone) {
      const known = this.#ofAddress.get(address)!;
      known.shift();
      if (known.length === 0) this.#ofAddress.delete(address);
      this.#bytes -= before?.data.length ?? 0;
    }
    this.#from = gone.at(-1)!.slot;
  }
}
