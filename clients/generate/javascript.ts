import { readdirSync, readFileSync } from 'node:fs';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { type Api, nameOf, type Operation, type Parameter, resolved, type Schema } from './operations.ts';
import { camel, pascal } from './words.ts';

const HEAD = '// Generated from docs/openapi-*.json by `npm run clients`. Do not edit.\n';
const FLAGS: Readonly<Record<Operation['answer'], string>> = {
  object: 'o',
  list: 'l',
  value: 'v',
  text: 't',
  bytes: 'r',
  nothing: 'n',
  socket: 'w',
  events: 'e',
};

/** Types of generated/frames.ts, by the schema they stand for. */
const FRAMES: Readonly<Record<string, string>> = {
  'inbox-frame': 'InboxFrame',
  'inbox-page': 'InboxPage',
  'inbox-stream-frame': 'InboxStreamFrame',
};

/** The names that schemas/types.ts has types for. */
const named = new Set(
  readdirSync(new URL('../../schemas/', import.meta.url))
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const text = readFileSync(new URL(`../../schemas/${file}`, import.meta.url), 'utf8');
      return Object.keys((JSON.parse(text) as Schema)['$defs'] ?? {});
    }),
);

/** core/client/generated/<profile>.ts: the table of operations, and the types of a call of each. */
export async function javascriptOf(profile: 'node' | 'aggregator', api: Api): Promise<string> {
  const shapes = new Shapes(api);
  const groups = new Map<string, Operation[]>();
  for (const one of api.operations) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  const ordered = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  const members = ordered.map(([group, operations]) => {
    const calls = operations.map((one) => `    ${documented(one)}\n    ${signature(one, shapes)}`);
    return `  readonly ${camel(group)}: {\n${calls.join('\n')}\n  };`;
  });
  const table = ordered.map(([group, operations]) => {
    const lines = operations.map((one) => `    ${camel(one.name)}: '${lineOf(one)}',`);
    return `  ${camel(group)}: {\n${lines.join('\n')}\n  },`;
  });
  const title = profile === 'node' ? 'Node' : 'Aggregator';
  const compiled = await shapes.compiled();
  return `${HEAD}import type { SchemaTypes } from '../../../schemas/types.ts';
import type { CallOptions, StreamOptions } from '../http-caller.ts';
${profile === 'node' ? "import type { InboxPage, InboxStreamFrame } from './frames.ts';\n" : ''}
/** The operations of ${profile === 'node' ? 'a node' : 'an aggregator'}, by the plugin that declares them. */
export interface ${title}Api {
${members.join('\n')}
}

/** Method, path, and letters that \`core/client/operations.ts\` explains. */
export const ${profile}Operations = {
${table.join('\n')}
} as const;

${compiled.trim()}
`;
}

/** core/client/generated/frames.ts: the frames of an inbox, by the type of their message. */
export function framesOf({ schemas }: Api): string {
  const { properties } = schemas['inbox-frame'] as { properties: Record<string, Schema> };
  const payloads = (properties['payload']!['anyOf'] as Schema[])
    .flatMap(({ $ref }) => (typeof $ref === 'string' ? [nameOf($ref)] : []))
    .filter((name) => name.endsWith('-payload'));
  const types = payloads.map((payload) => {
    const member = payload.replace(/-payload$/, '').replaceAll('-', '_');
    const own = member in properties ? `; readonly ${member}: NonNullable<Frame['${member}']>` : '';
    return { name: member.toUpperCase(), payload, own };
  });
  const lines = types.map(
    ({ name, payload, own }) => `  ${name}: { readonly payload: SchemaTypes['${payload}']${own} };`,
  );
  return `${HEAD}import type { SchemaTypes } from '../../../schemas/types.ts';

type Frame = SchemaTypes['inbox-frame'];

interface Messages {
${lines.join('\n')}
}

/** One inbound envelope: \`msg_type\` says which, and narrows the type of \`payload\`. */
export type InboxFrame = {
  [M in keyof Messages]: Omit<Frame, 'msg_type' | 'payload'> & { readonly msg_type: M } & Messages[M];
}[keyof Messages];

/** A frame of the stream: the first one counts what waits, unless that was asked for. */
export type InboxStreamFrame = InboxFrame | SchemaTypes['inbox-opening'];

export type InboxPage = Omit<SchemaTypes['inbox-page'], 'frames'> & { readonly frames: readonly InboxFrame[] };
`;
}

/** Types of schemas that have no name in schemas/types.ts. */
class Shapes {
  readonly #api: Api;
  readonly #own: Record<string, JSONSchema> = {};

  constructor(api: Api) {
    this.#api = api;
  }

  /** The type of a schema; one without a name gets this one. */
  of(schema: Schema, name: string): string {
    if (typeof schema['$ref'] === 'string') {
      const target = nameOf(schema['$ref']);
      if (target in FRAMES) return FRAMES[target]!;
      if (named.has(target)) return `SchemaTypes['${target}']`;
      const title = pascal(target.replaceAll('.', '-'));
      if (!(title in this.#own)) this.#add(title, this.#api.schemas[target]!);
      return title;
    }
    if (!(name in this.#own)) this.#add(name, schema);
    return name;
  }

  /** Whether an object of this schema has members that must be there. */
  isNeeded(schema: Schema): boolean {
    return (resolved(schema, this.#api.schemas)['required'] ?? []).length > 0;
  }

  /** Whether a part of a path is written in digits alone. */
  isNumber(schema: Schema): boolean {
    const { type, pattern } = resolved(schema, this.#api.schemas);
    const fits = (text: string) => pattern !== undefined && new RegExp(pattern, 'u').test(text);
    return type === 'integer' || (fits('7') && !fits('a'));
  }

  async compiled(): Promise<string> {
    const texts: string[] = [];
    for (const [name, schema] of Object.entries(this.#own).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const source = await compile({ ...schema, title: name }, name, {
        additionalProperties: false,
        bannerComment: '',
        format: false,
        ignoreMinAndMaxItems: true,
        enableConstEnums: false,
        declareExternallyReferenced: false,
      });
      texts.push(source.trim());
    }
    return texts.join('\n\n');
  }

  #add(name: string, schema: Schema): void {
    this.#own[name] = {};
    this.#own[name] = this.#typed(schema) as JSONSchema;
  }

  /** References become the types they stand for; what makes names or bounds goes. */
  #typed(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#typed(item));
    if (typeof value !== 'object' || value === null) return value;
    const schema = value as Schema;
    if (typeof schema['$ref'] === 'string') return { tsType: this.of(schema, '') };
    const entries = Object.entries(schema).filter(([key, inner]) => {
      if (key === 'title' && typeof inner === 'string') return false;
      return !(key === 'examples' && Array.isArray(inner));
    });
    return Object.fromEntries(entries.map(([key, inner]) => [key, this.#typed(inner)]));
  }
}

function lineOf({ method, path, body, query, headers, key, signed, state, answer, cursor }: Operation): string {
  const flags = [
    body === 'json' && 'j',
    body === 'bytes' && 'b',
    query.length + headers.length > 0 && 'q',
    key && 'k',
    signed && 's',
    state && 'u',
    FLAGS[answer],
    cursor === 'cursor' && 'c',
    cursor === 'id' && 'i',
  ];
  const own = headers.length > 0 ? ` ${headers.map(({ name }) => name).join(',')}` : '';
  return `${method} ${path} ${flags.filter(Boolean).join('')}${own}`;
}

function signature(operation: Operation, shapes: Shapes): string {
  const { group, name, parts, body, bodySchema, query, headers, answer, answerSchema } = operation;
  const title = pascal(`${group}-${name}`);
  const given = parts.map((part) => `${part.name}: ${shapes.isNumber(part.schema) ? 'string | number' : 'string'}`);
  if (body === 'bytes') given.push('bytes: Uint8Array');
  if (body === 'json')
    given.push(`request${shapes.isNeeded(bodySchema!) ? '' : '?'}: ${shapes.of(bodySchema!, `${title}Request`)}`);
  const asked = [...query, ...headers];
  if (asked.length > 0) {
    const mark = asked.some(({ required }) => required) ? '' : '?';
    given.push(`query${mark}: ${shapes.of(queryOf(asked), `${title}Query`)}`);
  }
  const streams = answer === 'socket' || answer === 'events';
  given.push(`options?: ${streams ? 'StreamOptions' : 'CallOptions'}`);
  // A parameter that may be absent is followed by none that must be there.
  const firstOptional = given.findIndex((one) => /^\w+\?:/.test(one));
  const lastNeeded = given.findLastIndex((one) => !/^\w+\?:/.test(one));
  if (firstOptional < lastNeeded) given[firstOptional] = given[firstOptional]!.replace('?:', ': undefined |');
  const result =
    {
      text: 'string',
      bytes: 'Uint8Array',
      nothing: 'void',
    }[answer as string] ?? shapes.of(answerSchema!, `${title}${streams ? 'Frame' : 'Answer'}`);
  return `${camel(name)}(${given.join(', ')}): ${streams ? 'AsyncGenerator' : 'Promise'}<${result}>;`;
}

function queryOf(asked: readonly Parameter[]): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required: asked.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      asked.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
    ),
  };
}

function documented({ method, path, summary }: Operation): string {
  return `/** \`${method} ${path}\`${summary === '' ? '' : `: ${summary.replaceAll('*/', '* /')}`} */`;
}
