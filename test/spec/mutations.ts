import type { DocumentSchemas } from './api-document.ts';

/** One member or element of a body, as its schema describes it. */
export interface Place {
  /** A JSON pointer. */
  readonly pointer: string;
  readonly schema: any;
  readonly required: boolean;
}

export interface Mutation {
  readonly what: string;
  /** The body as text: it need not be JSON that a serialiser would write. */
  readonly text: string;
  /** The place that was changed. */
  readonly pointer: string;
}

const MARK = '"\u2042raw\u2042"';
const DEEP = 4_000;

/** JSON values that trip handlers up. */
export const JUNK: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '9007199254740993',
  '123456789012345678901234567890',
  '1e400',
  '-1e400',
  '5e-324',
  '""',
  '" "',
  '"text"',
  '"0"',
  '"-0.000001"',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800x"',
  '"../../etc/passwd"',
  '"\\u202e\\ufeff"',
  JSON.stringify('x'.repeat(20_000)),
  '[]',
  '[null]',
  '{}',
  '{"__proto__":{"a":1},"constructor":1}',
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
];

/** Every place a schema knows of, whether or not the example has it. */
export function placesOf(schemas: DocumentSchemas, schema: any, pointer = '', depth = 0): Place[] {
  const resolved = schemas.resolved(schema);
  if (depth > 6) return [];
  const branches = [...(resolved.allOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.anyOf ?? [])];
  const required: string[] = resolved.required ?? [];
  const members = Object.entries((resolved.properties ?? {}) as Record<string, any>).flatMap(([name, inner]) => {
    const at = `${pointer}/${name}`;
    return [
      { pointer: at, schema: schemas.resolved(inner), required: required.includes(name) },
      ...placesOf(schemas, inner, at, depth + 1),
    ];
  });
  const elements = resolved.items
    ? [
        { pointer: `${pointer}/0`, schema: schemas.resolved(resolved.items), required: false },
        ...placesOf(schemas, resolved.items, `${pointer}/0`, depth + 1),
      ]
    : [];
  const inner = branches.flatMap((branch) => placesOf(schemas, branch, pointer, depth + 1));
  return [...members, ...elements, ...inner.filter((one) => !members.some((own) => own.pointer === one.pointer))];
}

/** The body with each place in turn replaced by everything that could be wrong with it, removed, or accompanied. */
export function mutationsOf(example: object, places: readonly Place[]): Mutation[] {
  return places.flatMap(({ pointer, schema, required }) => {
    const replaced = [...JUNK, ...boundsOf(schema)].map((raw) => ({
      what: `${pointer} = ${raw.slice(0, 40)}`,
      text: replace(example, pointer, raw),
      pointer,
    }));
    const removed = required ? [{ what: `${pointer} is missing`, text: remove(example, pointer), pointer }] : [];
    return [...replaced, ...removed];
  });
}

/** Values just outside what numbers, texts and lists may be. */
function boundsOf(schema: any): string[] {
  const found: unknown[] = [];
  if (schema.minimum !== undefined) found.push(schema.minimum - 1, schema.minimum - 0.5);
  if (schema.maximum !== undefined) found.push(schema.maximum + 1);
  if (schema.minLength > 0) found.push('x'.repeat(schema.minLength - 1));
  if (schema.maxLength !== undefined) found.push('x'.repeat(schema.maxLength + 1));
  if (schema.maxItems !== undefined) found.push(new Array(schema.maxItems + 1).fill({}));
  if (schema.pattern !== undefined) found.push('!', `${schema.examples?.[0]}\n`, `${schema.examples?.[0]} `);
  if (schema.enum) found.push(`${schema.enum[0]}x`, String(schema.enum[0]).toUpperCase());
  if (schema.format) found.push('yesterday', '2026-13-45T99:99:99Z');
  return found.map((value) => JSON.stringify(value));
}

export function replace(example: object, pointer: string, raw: string): string {
  const copy = structuredClone(example);
  const last = segments(pointer).pop()!;
  holderOf(copy, pointer)[last] = JSON.parse(MARK);
  return JSON.stringify(copy).replace(MARK, () => raw);
}

function remove(example: object, pointer: string): string {
  const copy = structuredClone(example);
  delete holderOf(copy, pointer)[segments(pointer).pop()!];
  return JSON.stringify(copy);
}

/** The object or list that holds a place; made on the way when the example lacks it. */
function holderOf(value: any, pointer: string): any {
  let here = value;
  const path = segments(pointer);
  path.slice(0, -1).forEach((name, index) => {
    here[name] ??= /^\d+$/.test(path[index + 1]!) ? [] : {};
    here = here[name];
  });
  return here;
}

function segments(pointer: string): string[] {
  return pointer.split('/').slice(1);
}
