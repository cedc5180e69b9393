import { MeshError } from '../../core/errors.ts';

/** Reads what a node answered; a node that answers something else is treated as one that did not answer. */
export class Answer {
  readonly #value: unknown;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    this.#value = value;
    this.#path = path;
  }

  get isNull(): boolean {
    return this.#value === null || this.#value === undefined;
  }

  get raw(): unknown {
    return this.#value;
  }

  at(member: string | number): Answer {
    const value = this.#value as Record<string | number, unknown> | null | undefined;
    return new Answer(typeof value === 'object' ? value?.[member] : undefined, `${this.#path}.${member}`);
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.#wrong('text');
    return this.#value;
  }

  integer(): number {
    if (typeof this.#value !== 'number' || !Number.isInteger(this.#value)) throw this.#wrong('an integer');
    return this.#value;
  }

  /** Decimal digits in a string, as token amounts are written. */
  amount(): bigint {
    const text = this.text();
    if (!/^\d{1,20}$/.test(text)) throw this.#wrong('an amount');
    return BigInt(text);
  }

  list(): Answer[] {
    if (!Array.isArray(this.#value)) throw this.#wrong('a list');
    return this.#value.map((item, index) => new Answer(item, `${this.#path}[${index}]`));
  }

  #wrong(expected: string): MeshError {
    return new MeshError('ledger_unavailable', `The ledger answered nonsense: ${this.#path} is not ${expected}.`);
  }
}
