/**
 * A result made of a shared value, such as its JSON for clients. It is made once for as long as the value stays the
 * same and is known. `as` is all else that it depends on, such as the epoch; the result of the newest `as` is
 * remembered.
 */
export class View<V extends object, R> {
  readonly #make: (value: V, as: number) => R;
  readonly #made = new WeakMap<V, { readonly as: number; readonly result: R }>();

  /** `make` must be pure. */
  constructor(make: (value: V, as: number) => R) {
    this.#make = make;
  }

  of(value: V, as = 0): R {
    const known = this.#made.get(value);
    if (known?.as === as) return known.result;
    const result = this.#make(value, as);
    this.#made.set(value, { as, result });
    return result;
  }
}
