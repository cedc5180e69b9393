import type { FieldProblem } from '../errors.ts';
import { StorageError } from './adapter.ts';

/** Checks a value against a named JSON Schema; no problems means that it fits. */
export type Validate = (schema: string, value: unknown) => readonly FieldProblem[];

/** What a declaration says about its values: the name of a schema, or its own check. */
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
  const lossy = findLossy(value, '', 0);
  if (lossy) throw new InvalidValue(where, [lossy]);
  const problems = typeof rule === 'string' ? validate(rule, value) : rule(value);
  if (problems.length > 0) throw new InvalidValue(where, problems);
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES) {
    throw new StorageError('too_large', `${where} holds values of at most ${MAX_VALUE_BYTES} bytes`);
  }
  return text;
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
