import type { ErrorTable } from '../http/problem-details.ts';
import type { Contract, Endpoint, Limit } from '../http/route.ts';
import type { Declared } from '../loader/declarations.ts';
import type { GuardSpec } from '../plugin.ts';
import type { Components } from './components.ts';
import { exampleOf, type Schema } from './example.ts';

export interface OperationTools {
  readonly components: Components;
  readonly guards: ReadonlyMap<string, GuardSpec | undefined>;
  readonly errors: ErrorTable;
}

/** One operation object of OpenAPI 3.1; a stream is a GET answered with 101, its frames described by `x-frame`. */
export function operationOf({ plugin, name, endpoint }: Declared, tools: OperationTools): Schema {
  const { spec } = endpoint;
  const { components, guards } = tools;
  return {
    operationId: `${plugin}.${name}`,
    tags: [plugin],
    ...(spec.summary && { summary: spec.summary }),
    ...(guards.get(spec.auth) && { security: [{ [spec.auth]: [] }] }),
    parameters: [
      ...pathParameters(endpoint, components),
      ...queryParameters(endpoint, components),
      ...keyHeader(endpoint),
    ],
    ...requestBody(endpoint, components),
    responses: { ...success(endpoint, components), ...failures(endpoint, tools) },
    ...(spec.limit && { 'x-rate-limit': spec.limit }),
    ...(spec.feature && { 'x-feature': spec.feature }),
    ...frames(endpoint, components),
  };
}

function pathParameters({ path, spec }: Endpoint, components: Components): Schema[] {
  const contracts = (spec.params ?? {}) as Record<string, Contract>;
  return [...path.matchAll(/:([^/]+)/g)].map(([, name = '']) => {
    const contract = contracts[name];
    const schema = contract ? components.use(contract) : { type: 'string', minLength: 1, maxLength: 256 };
    const example = exampleOf(schema, (ref) => components.resolve(ref));
    return { name, in: 'path', required: true, schema, ...(example !== undefined && { example }) };
  });
}

function queryParameters({ spec }: Endpoint, components: Components): Schema[] {
  const contract = (spec as { query?: Contract }).query;
  if (!contract) return [];
  const used = components.use(contract);
  const schema = used['$ref'] ? components.resolve(used['$ref'])! : used;
  const required: string[] = schema['required'] ?? [];
  return Object.entries((schema['properties'] ?? {}) as Record<string, Schema>).map(([name, inner]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(inner['description'] && { description: inner['description'] }),
    schema: inner,
  }));
}

function keyHeader(endpoint: Endpoint): Schema[] {
  if (endpoint.kind !== 'route' || !endpoint.spec.idempotency) return [];
  const description = 'The same key with the same body gets the stored answer; nothing is done twice.';
  return [
    { name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string', maxLength: 255 } },
  ];
}

function requestBody(endpoint: Endpoint, components: Components): Schema {
  if (endpoint.kind !== 'route' || endpoint.spec.body === undefined) return {};
  const { body, maxBody } = endpoint.spec;
  if (body === 'bytes') {
    const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
    return { requestBody: { required: true, content: { 'application/octet-stream': { schema, example: 'bytes' } } } };
  }
  const schema = components.use(body as Contract);
  const example = exampleOf(schema, (ref) => components.resolve(ref));
  const content = { 'application/json': { schema, example } };
  return { requestBody: { required: true, content, ...(maxBody && { 'x-max-bytes': maxBody }) } };
}

function success(endpoint: Endpoint, components: Components): Schema {
  if (endpoint.kind !== 'route') return { 101: { description: 'The WebSocket is open.' } };
  const { reply, status } = endpoint.spec;
  if (reply === undefined) return { [status ?? 204]: { description: 'Done.' } };
  const content =
    reply === 'bytes'
      ? { 'application/octet-stream': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } } }
      : { 'application/json': { schema: components.use(reply as Contract) } };
  return { [status ?? 200]: { description: 'The answer.', content } };
}

/** Every error this operation can answer with, from its declaration and its codes. */
function failures(endpoint: Endpoint, { components, guards, errors }: OperationTools): Schema {
  const { spec } = endpoint;
  const codes = new Set<string>(['invalid_request']);
  if (guards.get(spec.auth)) codes.add('unauthorized');
  if (endpoint.path.includes(':')) codes.add('not_found');
  if (spec.limit) codes.add('rate_limited');
  if (endpoint.kind === 'route') {
    if (endpoint.spec.body !== undefined) codes.add('payload_too_large').add('request_timeout');
    if (endpoint.spec.body !== undefined && endpoint.spec.body !== 'bytes') codes.add('unsupported_media_type');
    if (endpoint.spec.idempotency) codes.add('idempotency_mismatch').add('request_in_progress');
    for (const code of endpoint.spec.errors ?? []) codes.add(code);
  }
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const [status, sentence] = errors[code] ?? [500, ''];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${sentence}`]);
  }
  const schema = components.use('problem');
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      status,
      {
        description: lines.join(' '),
        ...(status === 429 && { headers: retryAfter(spec.limit) }),
        content: { 'application/problem+json': { schema } },
      },
    ]),
  );
}

function retryAfter(limit: Limit | undefined): Schema {
  const description = limit
    ? `At most ${limit.rate} calls in ${limit.window} seconds per ${limit.per}.`
    : 'Seconds to wait.';
  return { 'Retry-After': { description, schema: { type: 'integer' } } };
}

function frames(endpoint: Endpoint, components: Components): Schema {
  if (endpoint.kind === 'route') return {};
  if (endpoint.kind === 'socket') return { 'x-socket': 'binary' };
  const { frame, receive } = endpoint.spec;
  return {
    'x-frame': components.use(frame as Contract),
    ...(receive && { 'x-receive': components.use(receive as Contract) }),
  };
}
