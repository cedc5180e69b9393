import { readFileSync } from 'node:fs';

export type Schema = Readonly<Record<string, any>>;

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

/** One operation of an API document, as both clients are written from it. */
export interface Operation {
  /** Its group and name in words of lower-case letters, such as `agent-process` and `register-pid`. */
  readonly group: string;
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  /** With `{name}` for a part that is given, and `{name*}` for the rest of the path. */
  readonly path: string;
  readonly parts: readonly Parameter[];
  readonly query: readonly Parameter[];
  readonly headers: readonly Parameter[];
  readonly body: 'json' | 'bytes' | undefined;
  readonly bodySchema: Schema | undefined;
  readonly answer: Answer;
  readonly answerSchema: Schema | undefined;
  /** It takes an Idempotency-Key. */
  readonly key: boolean;
  /** The agent signs a token for each call. */
  readonly signed: boolean;
  /** 503 answers in the same shape. */
  readonly state: boolean;
  /** The member of a frame behind which a stream resumes. */
  readonly cursor: 'cursor' | 'id' | undefined;
}

export type Answer = 'object' | 'list' | 'value' | 'text' | 'bytes' | 'nothing' | 'socket' | 'events';

export interface Api {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The lines of operations that speak no JSON and are not for clients. */
  readonly omitted: readonly string[];
}

/** Parameters that the client makes itself. */
const OWN = new Set(['token', 'Idempotency-Key', 'Last-Event-ID']);

/** The operations of docs/openapi-*.json, which `npm run openapi` writes from the declarations. */
export function apiOf(profile: 'node' | 'aggregator'): Api {
  const file = new URL(`../../docs/openapi-${profile}.json`, import.meta.url);
  return readApi(JSON.parse(readFileSync(file, 'utf8')));
}

export function readApi(document: Schema): Api {
  const schemas: Record<string, Schema> = document['components'].schemas;
  const operations: Operation[] = [];
  const omitted: string[] = [];
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Record<string, Schema>>)) {
    for (const [method, spec] of Object.entries(item)) {
      if (spec['x-socket']) omitted.push(`${method.toUpperCase()} ${path}`);
      else operations.push(operationOf(method.toUpperCase(), path, spec, schemas));
    }
  }
  return { operations, schemas, omitted };
}

/** A schema itself, where a reference stands for it. */
export function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const ref: unknown = schema['$ref'];
  return typeof ref === 'string' ? resolved(schemas[nameOf(ref)]!, schemas) : schema;
}

export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function operationOf(method: string, path: string, spec: Schema, schemas: Readonly<Record<string, Schema>>): Operation {
  const [group = '', name = ''] = (spec['operationId'] as string).split('.');
  const parameters = (spec['parameters'] as Schema[]).filter((one) => !OWN.has(one['name']));
  const within = (place: string) => parameters.filter((one) => one['in'] === place).map(parameterOf);
  const wild = new Set(parameters.filter((one) => one['x-wildcard']).map((one) => one['name'] as string));
  const content: Schema = spec['requestBody']?.content ?? {};
  const body = content['application/json'] ? 'json' : Object.keys(content).length > 0 ? 'bytes' : undefined;
  const { answer, answerSchema } = answerOf(spec, schemas);
  const query = within('query');
  return {
    group: words(group),
    name: words(name),
    summary: spec['summary'] ?? '',
    method,
    path: path.replace(/\{(\w+)\}/g, (part, one: string) => (wild.has(one) ? `{${one}*}` : part)),
    parts: within('path'),
    query,
    headers: within('header'),
    body,
    bodySchema: content['application/json']?.schema,
    answer,
    answerSchema,
    key: (spec['parameters'] as Schema[]).some((one) => one['name'] === 'Idempotency-Key'),
    signed: (spec['security'] as Schema[]).some((one) => 'agent' in one),
    state: isAnswer(spec['responses']['503']?.content),
    cursor:
      answer === 'socket' && query.some((one) => one.name === 'since') ? cursorOf(answerSchema!, schemas) : undefined,
  };
}

function parameterOf(one: Schema): Parameter {
  const description = one['description'] as string | undefined;
  return { name: one['name'], required: one['required'], schema: one['schema'], ...(description && { description }) };
}

function answerOf(spec: Schema, schemas: Readonly<Record<string, Schema>>): Pick<Operation, 'answer' | 'answerSchema'> {
  if (spec['x-frame']) return { answer: 'socket', answerSchema: spec['x-frame'] };
  if (spec['x-event']) return { answer: 'events', answerSchema: spec['x-event'] };
  const [, response] =
    Object.entries(spec['responses'] as Record<string, Schema>).find(([one]) => /^2/.test(one)) ?? [];
  const [type, media] = Object.entries((response?.['content'] ?? {}) as Record<string, Schema>)[0] ?? [];
  if (type === undefined) return { answer: 'nothing', answerSchema: undefined };
  if (type !== 'application/json') {
    return { answer: type.startsWith('text/') ? 'text' : 'bytes', answerSchema: undefined };
  }
  const answerSchema: Schema = media!['schema'];
  const { type: shape } = resolved(answerSchema, schemas);
  return { answer: shape === 'object' ? 'object' : shape === 'array' ? 'list' : 'value', answerSchema };
}

/** A stream that takes `since` counts its frames by `cursor`, or by `id`. */
function cursorOf(frame: Schema, schemas: Readonly<Record<string, Schema>>): 'cursor' | 'id' {
  const members = (schema: Schema): string[] => {
    const own = resolved(schema, schemas);
    return [
      ...Object.keys(own['properties'] ?? {}),
      ...[...(own['anyOf'] ?? []), ...(own['oneOf'] ?? [])].flatMap(members),
    ];
  };
  const named = members(frame);
  if (named.includes('cursor')) return 'cursor';
  if (named.includes('id')) return 'id';
  throw new Error('a stream that takes since has frames with a cursor or an id');
}

/** `dcaCreate`, `list_agents` and `agent-process` as words with dashes. */
function words(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

/** An answer is JSON first of all; where a problem may come under the same status, it is a refusal. */
function isAnswer(content: Record<string, unknown> = {}): boolean {
  return Object.keys(content)[0] === 'application/json' && !Object.hasOwn(content, 'application/problem+json');
}
