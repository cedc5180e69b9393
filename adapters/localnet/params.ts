import bs58 from 'bs58';
import { invalidParams } from './rpc-error.ts';

/** The positional parameters of a call: every accessor checks, and fails with the code for invalid params. */
export class Params {
  readonly #values: readonly unknown[];

  constructor(values: unknown) {
    if (values !== undefined && !Array.isArray(values)) throw invalidParams('params must be an array');
    this.#values = values ?? [];
  }

  value(index: number): unknown {
    return this.#values[index];
  }

  text(index: number): string {
    return text(this.#values[index], `params[${index}]`);
  }

  /** A base58 public key. */
  address(index: number): string {
    return address(this.#values[index], `params[${index}]`);
  }

  /** A base58 transaction signature. */
  signature(index: number): string {
    return signature(this.#values[index], `params[${index}]`);
  }

  integer(index: number, min: number, max: number): number {
    return integer(this.#values[index], `params[${index}]`, min, max);
  }

  list<T>(index: number, max: number, read: (value: unknown, name: string) => T): T[] {
    return list(this.#values[index], `params[${index}]`, max, read);
  }

  /** The trailing configuration object; empty when it is left out. */
  options(index: number): Options {
    return new Options(this.#values[index], `params[${index}]`);
  }
}

/** A configuration object. Unknown members are ignored, as nodes do. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #name: string;

  constructor(value: unknown, name: string) {
    if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))) {
      throw invalidParams(`${name} must be an object`);
    }
    this.#values = (value ?? {}) as Record<string, unknown>;
    this.#name = name;
  }

  has(member: string): boolean {
    return this.#values[member] !== undefined && this.#values[member] !== null;
  }

  text(member: string): string {
    return text(this.#values[member], this.#path(member));
  }

  flag(member: string): boolean {
    const value = this.#values[member] ?? false;
    if (typeof value !== 'boolean') throw invalidParams(`${this.#path(member)} must be a boolean`);
    return value;
  }

  oneOf<T extends string>(member: string, allowed: readonly T[], fallback: T): T {
    const value = this.#values[member] ?? fallback;
    if (!allowed.includes(value as T))
      throw invalidParams(`${this.#path(member)} must be one of ${allowed.join(', ')}`);
    return value as T;
  }

  address(member: string): string {
    return address(this.#values[member], this.#path(member));
  }

  signature(member: string): string {
    return signature(this.#values[member], this.#path(member));
  }

  integer(member: string, min: number, max: number, fallback?: number): number {
    return integer(this.#values[member] ?? fallback, this.#path(member), min, max);
  }

  list<T>(member: string, max: number, read: (value: unknown, name: string) => T): T[] {
    return list(this.#values[member], this.#path(member), max, read);
  }

  options(member: string): Options {
    return new Options(this.#values[member], this.#path(member));
  }

  #path(member: string): string {
    return `${this.#name}.${member}`;
  }
}

export function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidParams(`${name} must be a string`);
  return value;
}

export function address(value: unknown, name: string): string {
  const given = text(value, name);
  if (given.length > 44 || base58(given, name).length !== 32) throw invalidParams(`${name} must be a public key`);
  return given;
}

export function signature(value: unknown, name: string): string {
  const given = text(value, name);
  if (given.length > 88 || base58(given, name).length !== 64) throw invalidParams(`${name} must be a signature`);
  return given;
}

export function base58(value: unknown, name: string): Buffer {
  const given = text(value, name);
  // Base58 takes quadratic time: nothing that is written in it here is longer than a transaction.
  if (given.length > 1700) throw invalidParams(`${name} is too long`);
  const decoded = bs58.decodeUnsafe(given);
  if (!decoded) throw invalidParams(`${name} must be base58`);
  return Buffer.from(decoded);
}

export function base64(value: unknown, name: string): Buffer {
  const given = text(value, name);
  const decoded = Buffer.from(given, 'base64');
  if (decoded.toString('base64') !== given) throw invalidParams(`${name} must be base64`);
  return decoded;
}

function integer(value: unknown, name: string, min: number, max: number): number {
  if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
    throw invalidParams(`${name} must be an integer from ${min} to ${max}`);
  }
  return value as number;
}

function list<T>(value: unknown, name: string, max: number, read: (value: unknown, name: string) => T): T[] {
  if (!Array.isArray(value)) throw invalidParams(`${name} must be an array`);
  if (value.length > max) throw invalidParams(`${name}: too many inputs provided; max ${max}`);
  return value.map((item, index) => read(item, `${name}[${index}]`));
}
