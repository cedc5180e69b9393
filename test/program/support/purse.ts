/** Token balances as a model expects them. */
export class Purse {
  readonly #balances = new Map<string, bigint>();

  of(wallet: string): bigint {
    return this.#balances.get(wallet) ?? 0n;
  }

  move(wallet: string, amount: bigint): void {
    this.#balances.set(wallet, this.of(wallet) + amount);
  }

  entries(): Iterable<[string, bigint]> {
    return this.#balances.entries();
  }
}
