import type { Contract } from '../../contracts/typed.ts';
import { parameterNames, wildcardOf } from '../../http/path.ts';
import type { ErrorTable } from '../../http/problem-details.ts';
import { declaredHeaders } from '../../http/request-headers.ts';
import type { Endpoint } from '../../http/route.ts';
import type { Shapes } from '../../http/shapes.ts';
import type { GuardSpec } from '../../plugin.ts';
import type { Declared } from '../loader/declarations.ts';
import type { Components } from './components.ts';
import { exampleOf, type Schema } from './example.ts';
import { headerOf, mediaOf, responsesOf } from './responses.ts';

export interface OperationTools {
  readonly components: Components;
  readonly guards: ReadonlyMap<string, GuardSpec | undefined>;
  readonly errors: ErrorTable;
  readonly shapes: Shapes;
}

/**
 * One operation object of OpenAPI 3.1; a stream is a GET answered with 101, its frames described by `x-frame`, and the data
 * of server-sent events is described by `x-event`.
 */
export function operationOf({ plugin, name, endpoint }: Declared, tools: OperationTools): Schema {
  const { spec } = endpoint;
  const { components, guards } = tools;
  return {
    operationId: `${plugin}.${name}`,
    tags: [plugin],
    ...(spec.summary && { summary: spec.summary }),
    security: guards.get(spec.auth) ? [{ [spec.auth]: [] }] : [],
    parameters: [
      ...pathParameters(endpoint, components),
      ...queryParameters(endpoint, components),
      ...headerParameters(endpoint, components),
      ...keyHeader(endpoint),
      ...lastEventId(endpoint, components),
    ],
    ...requestBody(endpoint, components),
    responses: responsesOf(endpoint, tools),
    ...(endpoint.kind === 'route' && endpoint.spec.price && { 'x-price': { usdc: endpoint.spec.price } }),
    ...(spec.limit && { 'x-rate-limit': spec.limit }),
    ...(spec.feature && { 'x-feature': spec.feature }),
    ...(endpoint.kind === 'route' && endpoint.spec.money && { 'x-money': true }),
    ...frames(endpoint, components),
  };
}

function pathParameters({ path, spec }: Endpoint, components: Components): Schema[] {
  const contracts = (spec.params ?? {}) as Record<string, Contract>;
  const wildcard = wildcardOf(path);
  return parameterNames(path).map((name) => {
    const contract = contracts[name];
    const isRest = name === wildcard;
    const usual = { type: 'string', minLength: 1, maxLength: isRest ? 1_024 : 256 };
    const schema = contract ? components.use(contract) : usual;
    const example = exampleOf(schema, (ref) => components.resolve(ref));
    const rest = isRest && { description: 'The rest of the path, with its slashes.', 'x-wildcard': true };
    return { name, in: 'path', required: true, ...rest, schema, ...(example !== undefined && { example }) };
  });
}

/** The credential of a stream in its address, for clients that cannot set headers. */
export const TOKEN = {
  name: 'token',
  in: 'query',
  required: false,
  description: 'The credential, for clients that can set no header. It is written to no log; a wrong one is 401.',
  schema: { type: 'string' },
  example: 'the-api-secret-of-the-node',
};

function queryParameters(endpoint: Endpoint, components: Components): Schema[] {
  const { spec } = endpoint;
  const token = takesTokenInQuery(endpoint) ? [TOKEN] : [];
  const contract = (spec as { query?: Contract }).query;
  if (!contract) return token;
  const schema = components.inline(contract);
  const required: string[] = schema['required'] ?? [];
  const shown = (schema['examples']?.[0] ?? {}) as Record<string, unknown>;
  const named = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, inner]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(inner['description'] && { description: inner['description'] }),
    schema: inner,
    example: shown[name] ?? exampleOf(inner, (ref) => components.resolve(ref)),
  }));
  return [...named, ...token];
}

export function takesTokenInQuery({ kind, spec }: Endpoint): boolean {
  return (kind === 'stream' || kind === 'events') && spec.tokenInQuery === true;
}

function headerParameters({ spec }: Endpoint, components: Components): Schema[] {
  return declaredHeaders(spec.headers).map(({ name, contract, required }) => ({
    name,
    in: 'header',
    required,
    ...headerOf(contract, components),
  }));
}

function lastEventId(endpoint: Endpoint, components: Components): Schema[] {
  if (endpoint.kind !== 'events') return [];
  const { eventId } = endpoint.spec;
  const text = { type: 'string', pattern: '^[\\x21-\\x7e]{1,256}$' };
  const schema = eventId ? components.use(eventId) : text;
  const example = eventId ? exampleOf(schema, (ref) => components.resolve(ref)) : '1';
  const description = 'The id of the last event that arrived; `EventSource` sends it when it connects again.';
  return [{ name: 'Last-Event-ID', in: 'header', required: false, description, schema, example }];
}

function keyHeader(endpoint: Endpoint): Schema[] {
  if (endpoint.kind !== 'route' || !endpoint.spec.idempotency) return [];
  const description = 'The same key with the same body gets the stored answer; nothing is done twice.';
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description,
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: 'offer-2026-01-01-0001',
    },
  ];
}

function requestBody(endpoint: Endpoint, components: Components): Schema {
  if (endpoint.kind !== 'route' || endpoint.spec.body === undefined) return {};
  const { body, maxBody, alsoTakes = {} } = endpoint.spec;
  const limit = maxBody && { 'x-max-bytes': maxBody };
  if (body === 'bytes' || body === 'stream') {
    const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
    const content = { 'application/octet-stream': { schema, example: 'bytes' } };
    return { requestBody: { required: true, content, ...limit } };
  }
  const others = Object.entries(alsoTakes).map(([type, description]) => [
    type,
    { schema: { type: 'string', contentMediaType: type, description }, example: 'bytes' },
  ]);
  const content = { 'application/json': mediaOf(body as Contract, components), ...Object.fromEntries(others) };
  return { requestBody: { required: true, content, ...limit } };
}

function frames(endpoint: Endpoint, components: Components): Schema {
  if (endpoint.kind === 'route') return {};
  if (endpoint.kind === 'files') {
    const { pages, missing } = endpoint.spec;
    return { 'x-files': true, ...(pages && { 'x-pages': pages }), ...(missing && { 'x-missing': missing }) };
  }
  if (endpoint.kind === 'events') {
    const { schema, example } = mediaOf(endpoint.spec.frame as Contract, components);
    return { 'x-event': schema, 'x-event-example': example };
  }
  if (endpoint.kind === 'socket') return { 'x-socket': 'binary' };
  const { frame, receive } = endpoint.spec;
  const { schema, example } = mediaOf(frame as Contract, components);
  return {
    'x-frame': schema,
    'x-frame-example': example,
    ...(receive && { 'x-receive': components.use(receive as Contract) }),
  };
}
