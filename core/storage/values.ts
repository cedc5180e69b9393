import type { FieldProblem } from '../contracts/errors.ts';
import { StorageError } from './adapter.ts';

/** Checks a value against a named JSON Schema; no problems means that it fits. */
export type Validate = (schema: string, value: unknown) => readonly FieldProblem[];

/** The rule for the values of a declaration: the name of a schema, or its own check. */
export type ValueRule = string | ((value: unknown) => readonly FieldProblem[]);

/** The longest stored value, in UTF-8 bytes of JSON. Larger content belongs in a blob. */
export const MAX_VALUE_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

/** A value that may not be stored: it misses its schema, or JSON would not give it back as it is. */
export class InvalidValue extends Error {
  override name = 'InvalidValue';
  readonly problems: readonly FieldProblem[];

  constructor(where: string, problems: readonly FieldProblem[]) {
    const list = problems.map(({ pointer, message }) => `${pointer || '/'} ${message}`).join('; ');
    super(`${where} cannot hold this value: ${list}`);
    this.problems = problems;
  }
}

/** The JSON text of a value that fits its rule. Refuses what JSON would change: NaN, undefined, bigint, Date, Map. */
export function encodeValue(value: unknown, rule: ValueRule, validate: Validate, where: string): string {
  if (!isLossless(value, 0)) throw new InvalidValue(where, [findLossy(value, '', 0)!]);
  checkRule(value, rule, validate, where);
  const text = JSON.stringify(value);
  checkSize(text, where);
  return text;
}

/** Freezes a value that JSON would give back as it is, and throws InvalidValue for any other. About its size in bytes. */
export function freezeValue(value: unknown, where: string): number {
  const size = frozenSize(value, 0);
  if (size < 0) throw new InvalidValue(where, [findLossy(value, '', 0)!]);
  // Escapes make six characters of one.
  if (size * 6 > MAX_VALUE_BYTES) checkSize(JSON.stringify(value), where);
  return size;
}

export function checkRule(value: unknown, rule: ValueRule, validate: Validate, where: string): void {
  const problems = typeof rule === 'string' ? validate(rule, value) : rule(value);
  if (problems.length > 0) throw new InvalidValue(where, problems);
}

function checkSize(text: string, where: string): void {
  // UTF-8 takes at most three bytes for one unit of a string.
  if (text.length * 3 <= MAX_VALUE_BYTES || Buffer.byteLength(text) <= MAX_VALUE_BYTES) return;
  throw new StorageError('too_large', `${where} holds values of at most ${MAX_VALUE_BYTES} bytes`);
}

function isLossless(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isLossless(value[i], depth + 1)) return false;
    return true;
  }
  if (!isPlain(value)) return false;
  const fields = value as Record<string, unknown>;
  for (const name in fields) if (!isLossless(fields[name], depth + 1)) return false;
  return true;
}

/** Characters of its JSON, about; -1 when JSON would change it. */
function frozenSize(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value === 'boolean' || value === null) return 5;
  if (typeof value === 'number') return Number.isFinite(value) ? 20 : -1;
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return -1;
  let size = 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const part = frozenSize(value[i], depth + 1);
      if (part < 0) return -1;
      size += part;
    }
  } else {
    if (!isPlain(value)) return -1;
    const fields = value as Record<string, unknown>;
    for (const name in fields) {
      const part = frozenSize(fields[name], depth + 1);
      if (part < 0) return -1;
      size += name.length + 3 + part;
    }
  }
  Object.freeze(value);
  return size;
}

function findLossy(value: unknown, pointer: string, depth: number): FieldProblem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { pointer, message: `is ${value}, which JSON cannot hold` };
  }
  if (typeof value !== 'object') return { pointer, message: `is ${typeof value}, which JSON cannot hold` };
  if (depth >= MAX_DEPTH) return { pointer, message: `is nested deeper than ${MAX_DEPTH} levels` };
  if (!Array.isArray(value) && !isPlain(value)) return { pointer, message: 'is not a plain object' };
  for (const [name, member] of Array.isArray(value) ? Array.from(value).entries() : Object.entries(value)) {
    const problem = findLossy(
      member,
      `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      depth + 1,
    );
    if (problem) return problem;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && !('toJSON' in value);
}
