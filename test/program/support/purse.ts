/** Token balances as a model expects them, and which accounts are frozen. */
export class Purse {
  readonly #balances = new Map<string, bigint>();
  readonly #frozen = new Set<string>();

  of(wallet: string): bigint {
    return this.#balances.get(wallet) ?? 0n;
  }

  /** Whether the wallet can pay this; nothing leaves a frozen account. */
  pays(wallet: string, amount: bigint): boolean {
    return !this.#frozen.has(wallet) && amount <= this.of(wallet);
  }

  receives(wallet: string): boolean {
    return !this.#frozen.has(wallet);
  }

  move(wallet: string, amount: bigint): void {
    this.#balances.set(wallet, this.of(wallet) + amount);
  }

  freeze(wallet: string, frozen: boolean): void {
    if (frozen) this.#frozen.add(wallet);
    else this.#frozen.delete(wallet);
  }

  entries(): Iterable<[string, bigint]> {
    return this.#balances.entries();
  }
}
