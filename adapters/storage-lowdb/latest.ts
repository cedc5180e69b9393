/** The values used last, up to a number of bytes; those not used for longest go first. */
export class Latest<K, V> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: V, name: K) => number;
  readonly #values = new Map<K, V>();
  #bytes = 0;
  #newest: K | undefined;

  constructor(maxBytes: number, bytesOf: (value: V, name: K) => number) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  /** How many bytes all of them have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value, which counts as a use, unless so little is held that nothing goes for long. */
  get(name: K): V | undefined {
    const found = this.#values.get(name);
    if (found !== undefined && name !== this.#newest && 2 * this.#bytes > this.#maxBytes) this.#renew(name, found);
    return found;
  }

  /** One that is there already stays as it is. */
  keep(name: K, value: V): void {
    if (this.#values.has(name)) return;
    this.#renew(name, value);
    this.#bytes += this.#bytesOf(value, name);
    for (const [oldest, one] of this.#values) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#values.delete(oldest);
      this.#bytes -= this.#bytesOf(one, oldest);
    }
  }

  /** Lets go of those with such a name. */
  drop(isMeant: (name: K) => boolean): void {
    for (const [name, value] of this.#values) {
      if (!isMeant(name)) continue;
      this.#values.delete(name);
      this.#bytes -= this.#bytesOf(value, name);
    }
  }

  /** A map leaves a gap where it forgets, and is made anew after as many gaps as it has entries: so nothing is moved in vain. */
  #renew(name: K, value: V): void {
    this.#values.delete(name);
    this.#values.set(name, value);
    this.#newest = name;
  }
}

/** Of an entry beside its text. */
const ENTRY_BYTES = 100;

/** At most as many bytes as a kept text has: one of ASCII alone has half of them. */
export function bytesOfText(text: string): number {
  return ENTRY_BYTES + 2 * text.length;
}
