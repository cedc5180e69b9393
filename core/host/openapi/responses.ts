import type { Contract } from '../../contracts/typed.ts';
import { asksForKeys } from '../../http/agent-keys.ts';
import type { ErrorTable } from '../../http/problem-details.ts';
import type { Endpoint, Events, Limit, RawMedia, Route } from '../../http/route.ts';
import type { Components } from './components.ts';
import { exampleOf, type Schema } from './example.ts';
import type { OperationTools } from './operation.ts';

const PROBLEM = 'application/problem+json';

const OFFER = {
  'PAYMENT-REQUIRED': {
    description: 'The offer of x402 version 2, JSON in base64. The body has the members of version 1.',
    schema: { type: 'string' },
  },
};

/** Codes that any call may be answered with, whatever it asks for. */
const EVERYWHERE = [
  'forbidden',
  'misdirected_request',
  'rate_limited',
  'headers_too_large',
  'internal',
  'not_ready',
  'storage_unavailable',
];

/** The answers of one operation by status; `default` stands for what any call may be answered with. */
export function responsesOf(endpoint: Endpoint, tools: OperationTools): Schema {
  const answers = success(endpoint, tools.components);
  const problems = Object.entries<Schema>(failures(endpoint, tools)).map(([status, problem]) => {
    const own = answers[status];
    return [status, own?.content ? eitherOf(own, problem) : problem];
  });
  return { ...answers, ...Object.fromEntries(problems), default: { $ref: '#/components/responses/problem' } };
}

/** A protocol's own refusal has the status of a problem: what is before the handler answers with the one, the handler with the other. */
function eitherOf(own: Schema, problem: Schema): Schema {
  const headers = own.headers || problem.headers ? { headers: { ...own.headers, ...problem.headers } } : {};
  const description = `${own.description} Or ${problem.description}`;
  return { ...problem, description, ...headers, content: { ...own.content, ...problem.content } };
}

/** The response every operation has as its `default`. */
export function anyProblem(components: Components, errors: ErrorTable): Schema {
  return {
    description: describeCodes(EVERYWHERE, errors),
    content: { [PROBLEM]: { schema: components.use('problem') } },
  };
}

/** The form of a contract where a value is sent or answered: its schema with an example. */
export function mediaOf(contract: Contract, components: Components): Schema {
  const schema = components.use(contract);
  return { schema, example: exampleOf(schema, (ref) => components.resolve(ref)) };
}

/** A header of a request or an answer. */
export function headerOf(contract: Contract, components: Components): Schema {
  const { schema, example } = mediaOf(contract, components);
  const { description } = components.inline(contract);
  return { ...(description && { description }), schema, ...(example !== undefined && { example }) };
}

function success(endpoint: Endpoint, components: Components): Schema {
  if (endpoint.kind === 'files') return filesSuccess();
  if (endpoint.kind === 'events') return eventsSuccess(endpoint, components);
  if (endpoint.kind !== 'route') return { 101: { description: 'The WebSocket is open.' } };
  return { ...replySuccess(endpoint, components), ...redirections(endpoint) };
}

function eventsSuccess({ spec }: Events, components: Components): Schema {
  const data = JSON.stringify(mediaOf(spec.frame as Contract, components).example);
  const schema = {
    type: 'string',
    description: 'Events whose data is the JSON of `x-event`; the last one is named end.',
  };
  const content = { 'text/event-stream': { schema, example: `id: 1\ndata: ${data}\n\n` } };
  return { 200: { description: 'Events, until one side ends them.', content } };
}

function filesSuccess(): Schema {
  const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
  const etag = { description: 'Changes with the content.', schema: { type: 'string' } };
  return {
    200: { description: 'The file.', headers: { etag }, content: { '*/*': { schema, example: 'bytes' } } },
    304: { description: 'The file is the one that `If-None-Match` names.' },
    308: { description: 'A folder, whose address ends in a slash.' },
  };
}

function redirections({ spec: { redirects = {} } }: Route): Schema {
  const rows = Object.entries(redirects).map(([status, targets = []]) => {
    const description = `Leads to ${targets.map((one) => `\`${one}\``).join(', ')}.`;
    const location = { description, schema: { type: 'string', format: 'uri-reference' } };
    return [status, { description, headers: { location } }];
  });
  return Object.fromEntries(rows);
}

function replySuccess({ spec }: Route, components: Components): Schema {
  const { reply, status, statuses = [], media, replyHeaders = {} } = spec;
  const declared = Object.entries(replyHeaders as Readonly<Record<string, Contract>>);
  const headers = declared.length > 0 && {
    headers: Object.fromEntries(declared.map(([name, contract]) => [name, headerOf(contract, components)])),
  };
  if (reply === undefined) return { [status ?? 204]: { description: 'Done.', ...headers } };
  const content =
    reply === 'bytes' || reply === 'stream'
      ? rawContent(media)
      : { 'application/json': mediaOf(reply as Contract, components) };
  const response = { description: 'The answer.', ...headers, content };
  const unchanged = { description: 'Unchanged.', ...headers };
  return Object.fromEntries([status ?? 200, ...statuses].map((one) => [one, one === 304 ? unchanged : response]));
}

/** Bytes that no contract describes, under each of their media types; JSON among them is any value. */
function rawContent(
  { type, example, also }: RawMedia = { type: 'application/octet-stream', example: 'bytes' },
): Schema {
  const forms = Object.entries({ [type]: example, ...also }).map(([one, text]) => {
    const isJson = /[/+]json$/.test(one);
    const schema = isJson ? {} : { type: 'string', contentMediaType: one };
    return [one, { schema, example: isJson ? JSON.parse(text) : text }];
  });
  return Object.fromEntries(forms);
}

/** Every error this operation can answer with, from its declaration and its codes. */
function failures(endpoint: Endpoint, { components, guards, errors, shapes }: OperationTools): Schema {
  const { spec } = endpoint;
  const codes = new Set<string>(['invalid_request']);
  if (spec.auth === 'x402') codes.add('payment_required').add('payment_used').add('ledger_unavailable');
  else if (guards.get(spec.auth)) codes.add('unauthorized');
  if (/[:*]/.test(endpoint.path)) codes.add('not_found');
  if (spec.limit) codes.add('rate_limited');
  if (endpoint.kind === 'stream' || endpoint.kind === 'socket') codes.add('upgrade_required');
  if (endpoint.kind === 'route') {
    if (endpoint.spec.body !== undefined) codes.add('payload_too_large').add('request_timeout');
    if (endpoint.spec.largeBodies !== undefined) codes.add('rate_limited');
    if (endpoint.spec.body !== undefined && !['bytes', 'stream'].includes(endpoint.spec.body))
      codes.add('unsupported_media_type');
    if (asksForKeys(endpoint, shapes)) codes.add('ledger_unavailable');
    if (endpoint.spec.idempotency) codes.add('idempotency_mismatch').add('request_in_progress').add('conflict');
  }
  for (const code of spec.errors ?? []) codes.add(code);
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const status = errors[code]?.[0] ?? 500;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = components.use('problem');
  return Object.fromEntries(
    [...byStatus].map(([status, here]) => [
      status,
      {
        description: describeCodes(here, errors),
        ...(here[0] === 'payment_required' && { headers: OFFER }),
        ...(status === 429 && { headers: retryAfter(spec.limit) }),
        content: { [PROBLEM]: { schema, example: problemExample(here[0]!, errors) } },
      },
    ]),
  );
}

function describeCodes(codes: readonly string[], errors: ErrorTable): string {
  return codes.map((code) => `\`${code}\` (${errors[code]?.[0]}): ${errors[code]?.[1]}`).join(' ');
}

function problemExample(code: string, errors: ErrorTable): Schema {
  const [status, title] = errors[code] ?? [500, ''];
  return { type: `urn:agent-mesh:error:${code}`, title, status, code, error: code };
}

function retryAfter(limit: Limit | undefined): Schema {
  const description = limit
    ? `At most ${limit.rate} calls in ${limit.window} seconds per ${limit.per}.`
    : 'Seconds to wait.';
  return { 'Retry-After': { description, schema: { type: 'integer' } } };
}
