import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AgentKeys } from '../contracts/agent-keys.ts';
import type { Contracts } from '../contracts/contracts.ts';
import { MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { networkOf } from '../platform/addresses.ts';
import type { Clock } from '../platform/clock.ts';
import { KeysInRequests } from './agent-keys.ts';
import { DEFAULT_MAX_BODY, parseJson, readBody, refuseEncoded } from './body.ts';
import { streamBody } from './body-stream.ts';
import type { Admitted } from './gate-factory.ts';
import { withHexIds } from './hex-ids.ts';
import { type IdempotencyStore, type KeyedCall, keyedCall, keyOf, once, type StoredAnswer } from './idempotency.ts';
import type { LargeBodies } from './large-bodies.ts';
import { ANSWER, isMarked, PREPARED_JSON } from './marks.ts';
import { type ErrorTable, isRefusal } from './problem-details.ts';
import { isRedirect, locationOf, replyHeaders, withReplyHeaders } from './reply-headers.ts';
import { type Notes, noNotes, type RequestReader, respelt } from './request-reader.ts';
import { tellUndeclared, unfit } from './returned-value.ts';
import { type Answer, type ByteStream, NO_BODY, type PreparedJson, type RawBody, type Route } from './route.ts';
import { RouteCall } from './route-call.ts';
import type { Mounted, ServedRoute } from './served.ts';
import { sold } from './sold-call.ts';

export interface HandlingTools {
  readonly contracts: Contracts;
  readonly gates: { readonly reader: RequestReader };
  readonly clock: Clock;
  /** Undefined where nothing that is served needs it. */
  readonly idempotency: IdempotencyStore | undefined;
  /** The built-in codes and those of plugins, with their statuses. */
  readonly errors: ErrorTable;
  /** Undefined where no registry has names for agents. */
  readonly agentKeys?: AgentKeys | undefined;
  /** Also check what handlers return against the declared reply; for development and tests. */
  readonly checkReplies: boolean;
  readonly largeBodies: LargeBodies;
}

export interface HandledCall {
  readonly served: Mounted<ServedRoute>;
  readonly request: IncomingMessage;
  readonly admitted: Admitted;
  readonly ip: string;
  readonly requestId: string;
  readonly makeSignal: () => AbortSignal;
}

/** Bytes of a body above which not all of its problems are told. */
const LARGE = 16 * 1024;
const NO_HEADERS = {};
const NOTHING: ReadBody = { value: undefined, bytes: NO_BODY };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A body by its contract, and as it came. */
interface ReadBody {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/** The answer to a call, and who wants to know when it has left. */
export interface RouteAnswer extends StoredAnswer {
  readonly sent?: (() => unknown) | undefined;
  /** In place of `body`. */
  readonly stream?: ByteStream;
  readonly again?: boolean;
}

/** From an admitted request to its answer: body, contract, idempotency, handler, reply. Throws MeshErrors. */
export function handleRoute(handled: HandledCall, tools: HandlingTools): Promise<RouteAnswer> {
  const { spec } = handled.served.endpoint;
  const { bodyHash, once } = handled.admitted.principal;
  const bound = bodyHash !== undefined || once !== undefined;
  const takesBody = spec.body !== undefined || spec.idempotency === true || bound;
  if (!takesBody && handled.admitted.ignored.length === 0) return run(handled, NOTHING, undefined, [], tools);
  return answerWithNotes(handled, takesBody, tools);
}

/** Tells refusals in the caller's spelling, with what was ignored. */
async function answerWithNotes(handled: HandledCall, takesBody: boolean, tools: HandlingTools): Promise<RouteAnswer> {
  const notes = noNotes();
  notes.ignored.push(...handled.admitted.ignored);
  try {
    if (takesBody) return await tools.largeBodies.held(handled, () => answerToBody(handled, notes, tools));
    return await run(handled, NOTHING, undefined, notes.ignored, tools);
  } catch (error) {
    throw respelt(error, notes);
  }
}

async function answerToBody(handled: HandledCall, notes: Notes, tools: HandlingTools): Promise<RouteAnswer> {
  const { served, request, admitted } = handled;
  const [{ spec }, { principal }] = [served.endpoint, admitted];
  if (spec.body === 'stream') return answerToStream(handled, notes, tools);
  const bytes = await readBody(request, spec.maxBody ?? DEFAULT_MAX_BODY, tools.clock);
  if (principal.bodyHash !== undefined && principal.bodyHash !== sha256(bytes)) {
    throw new MeshError('unauthorized', 'The credential was made for another body.');
  }
  const body = { value: bodyOf(spec, bytes, request, notes, tools.gates.reader), bytes };

  const call = keyedCall({
    // Nobody is known there, and what one address was told is not for another.
    principal: principal.kind === 'anyone' ? { ...principal, id: networkOf(handled.ip) } : principal,
    line: served.line,
    target: request.url ?? '',
    body: bytes,
    headers: admitted.headers,
    now: tools.clock.now(),
    key: spec.idempotency ? keyOf(request.headers['idempotency-key']) : undefined,
    effect: served.endpoint.method !== 'GET',
  });
  if (call && !tools.idempotency) throw new Error('nobody keeps the answers to idempotent calls');
  return runOnce(call, handled, body, notes.ignored, tools);
}

/** The handler reads the body itself; a credential for one request still has its effect once. */
function answerToStream(handled: HandledCall, notes: Notes, tools: HandlingTools): Promise<RouteAnswer> {
  const { served, request, admitted } = handled;
  const { principal } = admitted;
  const { maxBody = DEFAULT_MAX_BODY } = served.endpoint.spec;
  refuseEncoded(request.headers);
  const value = streamBody(request, maxBody, principal.bodyHash, tools.clock);
  const body = { value, bytes: NO_BODY };
  const call = keyedCall({
    ...{ principal, line: served.line, target: request.url ?? '', headers: admitted.headers, key: undefined },
    // The credential names the hash of the body, which stands for it.
    body: Buffer.from(principal.bodyHash ?? ''),
    now: tools.clock.now(),
    effect: principal.bodyHash !== undefined,
  });
  return runOnce(call, handled, body, notes.ignored, tools);
}

/** Runs a call that may be repeated at will, or answers a repetition of one that may not. */
function runOnce(
  call: KeyedCall | undefined,
  handled: HandledCall,
  body: ReadBody,
  ignored: Notes['ignored'],
  tools: HandlingTools,
): Promise<RouteAnswer> {
  if (!call || !tools.idempotency) return run(handled, body, undefined, ignored, tools);
  return once(
    call,
    tools.idempotency,
    () => run(handled, body, call.operation, ignored, tools),
    (error) => isRefusal(error, tools.errors),
  );
}

function run(...call: Parameters<typeof answered>): Promise<RouteAnswer> {
  return sold(call[0], () => answered(...call));
}

async function answered(
  handled: HandledCall,
  body: ReadBody,
  operationId: string | undefined,
  ignored: string[],
  tools: HandlingTools,
): Promise<RouteAnswer> {
  const { handler, endpoint } = handled.served;
  const { spec } = endpoint;
  const { agentKeys } = tools;
  const named =
    agentKeys && spec.agentIds !== 'as-given' ? await withKeys(handled, body, agentKeys, tools) : { handled, body };
  const call = new RouteCall(named.handled, named.body.value, named.body.bytes, operationId, ignored);
  let returned: unknown;
  try {
    returned = await handler(call);
  } catch (error) {
    throw withReplyHeaders(error, spec, tools.contracts, tools.checkReplies);
  }
  if (isRedirect(returned)) {
    return { status: returned.status, headers: { location: locationOf(spec, returned) }, body: undefined };
  }
  const set: Partial<Answer<unknown>> = isAnswer(returned) ? returned : { value: returned };
  const { value, status, headers: given, sent, again = false } = set;
  if (tools.checkReplies && status !== undefined) checkStatus(spec, status);
  const headers = given && replyHeaders(spec, given, tools.contracts, tools.checkReplies);
  if (spec.reply === undefined) {
    if (tools.checkReplies) tellUndeclared(handled.served, value);
    return { status: status ?? spec.status ?? 204, headers: headers ?? NO_HEADERS, body: undefined, sent, again };
  }
  if (spec.reply === 'bytes') {
    if (!(value instanceof Uint8Array)) throw unfit(handled.served, value, 'a Uint8Array');
    const type = { 'content-type': 'application/octet-stream', ...headers };
    return { status: status ?? spec.status ?? 200, headers: type, body: Buffer.from(value), sent, again };
  }
  if (spec.reply === 'stream') {
    const code = status ?? spec.status ?? 200;
    if (code === 304) return { status: code, headers: headers ?? NO_HEADERS, body: undefined };
    if (!isByteStream(value)) throw unfit(handled.served, value, 'an object with content');
    const type = { 'content-type': 'application/octet-stream', ...headers };
    return { status: code, headers: type, body: undefined, stream: value, sent };
  }
  if (value === undefined || typeof value === 'function') throw unfit(handled.served, value, 'a value for it');
  const prepared = isPrepared(value) ? value.text : JSON.stringify(value);
  const text = handled.admitted.hexIds ? inHex(prepared, spec.reply as Contract, tools) : prepared;
  if (tools.checkReplies) checkReply(spec.reply as Contract, text, tools.contracts);
  const type = headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE;
  const told = ignored.length === 0 || names(value, 'ignored') ? text : withIgnored(text, ignored);
  return { status: status ?? spec.status ?? 200, headers: type, body: told, sent, again };
}

/** The call with the keys of agents that it names by their assets. Bodies that anybody may send name keys only: they carry signatures. */
async function withKeys(handled: HandledCall, body: ReadBody, agentKeys: AgentKeys, { gates }: HandlingTools) {
  const { admitted, served } = handled;
  const { spec } = served.endpoint;
  const isAnyones = admitted.principal.kind === 'anyone' || served.guard.charge !== undefined;
  const keys = new KeysInRequests(
    gates.reader.shapes,
    agentKeys,
    isAnyones ? 'read' : spec.money ? 'binding' : 'usual',
  );
  let { params } = admitted;
  for (const [name, contract] of Object.entries((spec.params ?? {}) as Record<string, Contract>)) {
    const value = params[name];
    if (value !== undefined) params = { ...params, [name]: String(await keys.in(contract, value, `/${name}`)) };
  }
  const query = spec.query ? await keys.in(spec.query, admitted.query) : admitted.query;
  const takesBody = !isAnyones && spec.body !== undefined && spec.body !== 'bytes' && spec.body !== 'stream';
  const value = takesBody ? await keys.in(spec.body as Contract, body.value) : body.value;
  return { handled: { ...handled, admitted: { ...admitted, params, query } }, body: { ...body, value } };
}

function bodyOf(
  { auth, body: contract, alsoTakes = {}, money = false }: Route['spec'],
  bytes: Buffer,
  { headers }: IncomingMessage,
  notes: Notes,
  reader: RequestReader,
): unknown {
  if (contract === undefined) return undefined;
  if (contract === 'bytes') return bytes;
  const media = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (Object.hasOwn(alsoTakes, media)) {
    refuseEncoded(headers);
    return { media, bytes } satisfies RawBody;
  }
  // A call that anybody may make moves nothing of anybody's, and its body can be large.
  const value = parseJson(bytes, headers, { others: Object.keys(alsoTakes), duplicates: auth === 'open' });
  return reader.read(contract, value, bytes.length > LARGE ? 'large' : 'input', notes, money);
}

/** An answer under another status than the route declares is in no API document. */
function checkStatus(
  { reply, status = reply === undefined ? 204 : 200, statuses = [] }: Route['spec'],
  given: number,
): void {
  if (given === status || statuses.includes(given)) return;
  throw new Error(`the answer has the status ${given}, which its route does not declare; add it to \`statuses\``);
}

/** Looks at the JSON a client would see, not at the object the handler returned. */
function checkReply(contract: Contract, text: string, contracts: Contracts): void {
  const [problem] = contracts.problems(contract, JSON.parse(text));
  if (problem) throw new Error(`the reply breaks its contract: ${problem.pointer || 'the value'} ${problem.message}`);
}

function inHex(text: string, reply: Contract, { gates }: HandlingTools): string {
  return JSON.stringify(withHexIds(gates.reader.shapes, reply, JSON.parse(text)));
}

/** An object's text with the names that the request had and nobody knows; every other text as it is. */
function withIgnored(text: string, ignored: readonly string[]): string {
  if (!text.startsWith('{')) return text;
  const rest = text === '{}' ? '}' : `,${text.slice(1)}`;
  return `{"ignored":${JSON.stringify(ignored)}${rest}`;
}

function names(value: unknown, member: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member);
}

function isByteStream(value: unknown): value is ByteStream {
  return typeof value === 'object' && value !== null && 'content' in value;
}

function isAnswer(value: unknown): value is Answer<unknown> {
  return isMarked(value, ANSWER);
}

function isPrepared(value: unknown): value is PreparedJson<unknown> {
  return isMarked(value, PREPARED_JSON);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
