import assert from 'node:assert/strict';

/** What a member of an answer must be, by the words of the specification. */
export type Kind =
  | 'string'
  | 'base58'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'time'
  | 'object'
  | 'array'
  | 'regions'
  | readonly unknown[];

const CHECKS: Readonly<Record<Exclude<Kind, readonly unknown[]>, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  base58: (value) => typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value),
  integer: Number.isInteger,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  time: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  regions: (value) => typeof value === 'object' && Object.values(value as object).every(Number.isInteger),
};

/** Each member is there and is of its kind; a list of values means one of them. */
export function hasMembers(value: any, members: Readonly<Record<string, Kind>>): void {
  for (const [name, kind] of Object.entries(members)) {
    const found = value?.[name];
    const fits = typeof kind === 'string' ? CHECKS[kind as keyof typeof CHECKS](found) : kind.includes(found);
    assert.ok(fits, `${name} is ${JSON.stringify(found)}, not ${kind}: ${JSON.stringify(value)}`);
  }
}

/** The members are absent. */
export function lacks(value: any, ...names: readonly string[]): void {
  for (const name of names) assert.ok(!(name in value), `${name} is there: ${JSON.stringify(value)}`);
}
