import bs58 from 'bs58';
import { MeshError } from '../../core/contracts/errors.ts';

const MAX_U64 = 2n ** 64n - 1n;
/** Base58 takes quadratic time: nothing that is read in it is longer than a transaction of any version. */
const MAX_BASE58 = 6_000;

/** The source of an answer. */
export interface AnswerSource {
  /** How it is called in a sentence. */
  readonly name: string;
  /** Told of everything that has not the shape it must have. */
  nonsense(reason: string): void;
}

/**
 * Reads what a node answered. Every accessor checks: a node that answers something else is treated as one that did not
 * answer, so whatever it says leads to no decision.
 */
export class Answer {
  readonly #value: unknown;
  readonly #path: string;
  readonly #source: AnswerSource | undefined;

  constructor(value: unknown, path: string, source?: AnswerSource) {
    this.#value = value;
    this.#path = path;
    this.#source = source;
  }

  get isNull(): boolean {
    return this.#value === null || this.#value === undefined;
  }

  get raw(): unknown {
    return this.#value;
  }

  at(member: string | number): Answer {
    const value = this.#value as Record<string | number, unknown> | null | undefined;
    const found = typeof value === 'object' && value !== null && Object.hasOwn(value, member);
    return new Answer(found ? value[member] : undefined, `${this.#path}.${member}`, this.#source);
  }

  text(): string {
    if (typeof this.#value !== 'string') throw this.wrong('text');
    return this.#value;
  }

  /** An integer that a number holds exactly. */
  integer(): number {
    if (typeof this.#value !== 'number' || !Number.isSafeInteger(this.#value)) throw this.wrong('an integer');
    return this.#value;
  }

  /** A slot, a height, an index: an integer that is not negative. */
  natural(): number {
    const value = this.integer();
    if (value < 0) throw this.wrong('a natural number');
    return value;
  }

  /** An unsigned integer of 64 bits, written as a number of any length. */
  lamports(): bigint {
    const value = typeof this.#value === 'bigint' ? this.#value : BigInt(this.integer());
    if (value < 0n || value > MAX_U64) throw this.wrong('an amount');
    return value;
  }

  /** Decimal digits in a string, as token amounts are written. */
  amount(): bigint {
    const text = this.text();
    if (!/^\d{1,20}$/.test(text) || BigInt(text) > MAX_U64) throw this.wrong('an amount');
    return BigInt(text);
  }

  /** Bytes in base64. */
  base64(): Buffer {
    const text = this.text();
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') !== text) throw this.wrong('base64');
    return bytes;
  }

  /** Bytes in base58; of that length where one is given. */
  base58(length?: number): Buffer {
    const text = this.text();
    const bytes = text.length > MAX_BASE58 ? undefined : bs58.decodeUnsafe(text);
    if (!bytes || (length !== undefined && bytes.length !== length)) throw this.wrong('base58');
    return Buffer.from(bytes);
  }

  /** The base58 text of a public key. */
  address(): string {
    this.base58(32);
    return this.text();
  }

  list(): Answer[] {
    if (!Array.isArray(this.#value)) throw this.wrong('a list');
    return this.#value.map((item, index) => new Answer(item, `${this.#path}[${index}]`, this.#source));
  }

  /** The error for a value that is not the expected one; puts it down to the source. */
  wrong(expected: string): MeshError {
    const reason = `${this.#path} is not ${expected}`;
    this.#source?.nonsense(reason);
    return new MeshError('ledger_unavailable', `${this.#source?.name ?? 'The ledger'} answered nonsense: ${reason}.`);
  }
}
