import type { DocumentSchemas, Operation } from './api-document.ts';

/** Path segments as they go out. */
export const PATH_JUNK = [
  'x',
  '%00',
  '%20',
  '%2e%2e',
  '%2F..%2F',
  '%F0%9F%92%A9',
  '1'.repeat(44),
  'z'.repeat(44),
  '0'.repeat(64),
  'F'.repeat(64),
  'f'.repeat(32),
  'F'.repeat(32),
  'a'.repeat(2_000),
  '__proto__',
  'constructor',
  '0',
  '-1',
  ':name',
  '*',
];

/** Query values before they are encoded. */
export const QUERY_JUNK = [
  '',
  ' ',
  'x',
  '\u0000',
  'a\u0000b',
  '\ufffd',
  '-1',
  '0',
  '1',
  '1.5',
  '1e3',
  '0x10',
  'NaN',
  'Infinity',
  '9007199254740993',
  '99999999999999999999999',
  '201',
  'true',
  'null',
  '[]',
  '{}',
  '../..',
  "' or 1=1 --",
  '1'.repeat(44),
  '0'.repeat(64),
  'x'.repeat(3_000),
  'W10',
  'WyJhIiwiYiJd',
  '__proto__',
];

/** Whether a text cannot be read as what a query parameter must be. */
export function isWrongText(schemas: DocumentSchemas, schema: any, text: string): boolean {
  const resolved = schemas.resolved(schema);
  if (resolved.type === 'integer' || resolved.type === 'number') {
    return !/^-?\d+$/.test(text) || schemas.problems(schema, Number(text)).length > 0;
  }
  if (resolved.type === 'boolean') return !/^(true|false|0|1|null)?$/.test(text);
  return schemas.problems(schema, text).length > 0;
}

/** The address of the examples, with path parameters put in as they are given: encoded or not. */
export function targetOf({ path, spec }: Operation, changed: Record<string, string> = {}): string {
  const example = (name: string) => spec.parameters.find((one: any) => one.in === 'path' && one.name === name).example;
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => changed[name] ?? encodeURIComponent(example(name)));
  const needed = spec.parameters.filter((one: any) => one.in === 'query' && one.required);
  const query = new URLSearchParams(needed.map((one: any) => [one.name, String(one.example)]));
  return needed.length > 0 ? `${filled}?${query}` : filled;
}

/** Whether an operation's path takes this target, by whatever method. */
export function answers({ path, spec }: Operation, target: string): boolean {
  const rest = spec.parameters.find((one: any) => one['x-wildcard'])?.name;
  const pattern = path.replace(/\{(\w+)\}/g, (_, name) => (name === rest ? '.+' : '[^/]+'));
  return new RegExp(`^${pattern}$`).test(target.split('?')[0]!);
}

/** What a body says, by the rule that the document states: a member that is `null` is absent. */
export function asRead(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 64) return value;
  if (Array.isArray(value)) return value.map((item) => asRead(item, depth + 1));
  const said = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(said.map(([name, member]) => [name, asRead(member, depth + 1)]));
}

/** The content type of the documented body. */
export function typeOf({ spec }: Operation): Record<string, string> {
  return spec.requestBody ? { 'content-type': Object.keys(spec.requestBody.content)[0]! } : {};
}

/** The body of the examples. */
export function bodyOf({ spec }: Operation): { body?: string } {
  const [media] = Object.values((spec.requestBody?.content ?? {}) as Record<string, any>);
  return media ? { body: JSON.stringify(media.example) } : {};
}
