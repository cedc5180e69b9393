/** Finds what a `$ref` points at. */
export type Resolve = (ref: string) => Schema | undefined;

export interface Schema {
  readonly [keyword: string]: any;
}

const DEPTH = 12;

/**
 * A value that fits a schema: its own example where it gives one, otherwise one made of the examples of its parts.
 * Made of required members, and of optional ones that bring an example.
 */
export function exampleOf(schema: Schema, resolve: Resolve, depth = 0): unknown {
  if (schema['examples']?.length > 0) return schema['examples'][0];
  if (schema['const'] !== undefined) return schema['const'];
  if (schema['default'] !== undefined && typeof schema['default'] !== 'object') return schema['default'];
  if (schema['enum']?.length > 0) return schema['enum'][0];
  if (depth > DEPTH) return undefined;
  if (schema['$ref']) {
    const target = resolve(schema['$ref']);
    return target && exampleOf(target, resolve, depth + 1);
  }
  if (schema['allOf']) return merged(schema, resolve, depth);
  const choice = schema['oneOf']?.[0] ?? schema['anyOf']?.[0];
  const type = [schema['type']].flat()[0];
  if (type === 'object' || schema['properties']) {
    const own = objectExample(schema, resolve, depth);
    return choice?.properties ? { ...own, ...(exampleOf(choice, resolve, depth + 1) as object) } : own;
  }
  if (choice) return exampleOf(choice, resolve, depth + 1);
  return plainExample(schema, type, resolve, depth);
}

function objectExample(schema: Schema, resolve: Resolve, depth: number): Record<string, unknown> {
  const required: string[] = schema['required'] ?? [];
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const shown = properties.filter(([name, inner]) => required.includes(name) || inner['examples']?.length > 0);
  return Object.fromEntries(
    shown
      .map(([name, inner]) => [name, exampleOf(inner, resolve, depth + 1)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

function merged(schema: Schema, resolve: Resolve, depth: number): unknown {
  const { allOf, ...rest } = schema;
  const parts = [rest, ...allOf].map((part) => exampleOf(part as Schema, resolve, depth + 1));
  return Object.assign({}, ...parts.filter((part) => typeof part === 'object' && part !== null));
}

function plainExample(schema: Schema, type: unknown, resolve: Resolve, depth: number): unknown {
  switch (type) {
    case 'string':
      return stringExample(schema);
    case 'integer':
    case 'number':
      return schema['minimum'] ?? schema['exclusiveMinimum'] ?? Math.min(1, schema['maximum'] ?? 1);
    case 'boolean':
      return true;
    case 'array': {
      const item = schema['items'] ? exampleOf(schema['items'], resolve, depth + 1) : undefined;
      return item === undefined ? [] : [item];
    }
    case 'null':
      return null;
    default:
      return {};
  }
}

function stringExample(schema: Schema): string {
  if (schema['format'] === 'date-time') return '2026-01-01T12:00:00.000Z';
  if (schema['format'] === 'uri') return 'https://example.org/';
  return 'text'.padEnd(schema['minLength'] ?? 0, '.').slice(0, schema['maxLength'] ?? 4096);
}
