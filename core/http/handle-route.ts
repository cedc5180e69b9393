import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Contracts } from '../contracts/contracts.ts';
import { MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { networkOf } from '../platform/addresses.ts';
import type { Clock } from '../platform/clock.ts';
import { kindOf } from '../platform/kind-of.ts';
import { DEFAULT_MAX_BODY, parseJson, readBody, refuseEncoded } from './body.ts';
import type { Admitted } from './gate-factory.ts';
import { withHexIds } from './hex-ids.ts';
import { type IdempotencyStore, keyedCall, keyOf, once, type StoredAnswer } from './idempotency.ts';
import { ANSWER, isMarked, PREPARED_JSON } from './marks.ts';
import { isRedirect, locationOf, replyHeaders } from './reply-headers.ts';
import { type Notes, noNotes, type RequestReader, respelt } from './request-reader.ts';
import type { Answer, PreparedJson, RawBody, Route } from './route.ts';
import { RouteCall } from './route-call.ts';
import type { Mounted, ServedRoute } from './served.ts';

export interface HandlingTools {
  readonly contracts: Contracts;
  readonly gates: { readonly reader: RequestReader };
  readonly clock: Clock;
  /** Undefined where nothing that is served needs it. */
  readonly idempotency: IdempotencyStore | undefined;
  /** Also check what handlers return against the declared reply; for development and tests. */
  readonly checkReplies: boolean;
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
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** From an admitted request to its answer: body, contract, idempotency, handler, reply. Throws MeshErrors. */
export function handleRoute(handled: HandledCall, tools: HandlingTools): Promise<StoredAnswer> {
  const { spec } = handled.served.endpoint;
  const { bodyHash, once } = handled.admitted.principal;
  const bound = bodyHash !== undefined || once !== undefined;
  const takesBody = spec.body !== undefined || spec.idempotency === true || bound;
  if (!takesBody && handled.admitted.ignored.length === 0) return run(handled, undefined, undefined, [], tools);
  return answerWithNotes(handled, takesBody, tools);
}

/** Tells refusals in the caller's spelling, with what was ignored. */
async function answerWithNotes(handled: HandledCall, takesBody: boolean, tools: HandlingTools): Promise<StoredAnswer> {
  const notes = noNotes();
  notes.ignored.push(...handled.admitted.ignored);
  try {
    if (takesBody) return await answerToBody(handled, notes, tools);
    return await run(handled, undefined, undefined, notes.ignored, tools);
  } catch (error) {
    throw respelt(error, notes);
  }
}

async function answerToBody(handled: HandledCall, notes: Notes, tools: HandlingTools): Promise<StoredAnswer> {
  const { served, request, admitted } = handled;
  const { spec } = served.endpoint;
  const { principal } = admitted;
  const bytes = await readBody(request, spec.maxBody ?? DEFAULT_MAX_BODY, tools.clock);
  if (principal.bodyHash !== undefined && principal.bodyHash !== sha256(bytes)) {
    throw new MeshError('unauthorized', 'The credential was made for another body.');
  }
  const body = bodyOf(spec, bytes, request, notes, tools.gates.reader);

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
  if (!call) return run(handled, body, undefined, notes.ignored, tools);
  if (!tools.idempotency) throw new Error('nobody keeps the answers to idempotent calls');
  return once(call, tools.idempotency, () => run(handled, body, call.operation, notes.ignored, tools));
}

async function run(
  handled: HandledCall,
  body: unknown,
  operationId: string | undefined,
  ignored: string[],
  tools: HandlingTools,
): Promise<StoredAnswer> {
  const { handler, endpoint } = handled.served;
  const { spec } = endpoint;
  const returned = await handler(new RouteCall(handled, body, operationId, ignored));
  if (isRedirect(returned)) {
    return { status: returned.status, headers: { location: locationOf(spec, returned) }, body: undefined };
  }
  const {
    value,
    status,
    headers: given,
  }: Partial<Answer<unknown>> = isAnswer(returned) ? returned : { value: returned };
  const headers = given && replyHeaders(spec, given, tools.contracts, tools.checkReplies);
  if (spec.reply === undefined) {
    return { status: status ?? spec.status ?? 204, headers: headers ?? NO_HEADERS, body: undefined };
  }
  if (spec.reply === 'bytes') {
    if (!(value instanceof Uint8Array)) throw unfit(handled.served, value, 'a Uint8Array');
    const type = { 'content-type': 'application/octet-stream', ...headers };
    return { status: status ?? spec.status ?? 200, headers: type, body: Buffer.from(value) };
  }
  if (value === undefined || typeof value === 'function') throw unfit(handled.served, value, 'a value for it');
  const prepared = isPrepared(value) ? value.text : JSON.stringify(value);
  const text = handled.admitted.hexIds ? inHex(prepared, spec.reply as Contract, tools) : prepared;
  if (tools.checkReplies) checkReply(spec.reply as Contract, text, tools.contracts);
  const type = headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE;
  const told = ignored.length === 0 || names(value, 'ignored') ? text : withIgnored(text, ignored);
  return { status: status ?? spec.status ?? 200, headers: type, body: told };
}

/** A handler that forgot its reply, or returned what cannot be sent as it. */
function unfit({ line, plugin }: HandledCall['served'], value: unknown, fit: string): Error {
  const what = `the handler of ${line} in the plugin ${plugin} returned ${kindOf(value)}, but the route declares a reply`;
  return new Error(`${what}; return ${fit}, or declare no reply`);
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
  // What anybody may send moves nothing of anybody's, and can be large.
  const value = parseJson(bytes, headers, { others: Object.keys(alsoTakes), duplicates: auth === 'open' });
  return reader.read(contract, value, bytes.length > LARGE ? 'large' : 'input', notes, money);
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

function isAnswer(value: unknown): value is Answer<unknown> {
  return isMarked(value, ANSWER);
}

function isPrepared(value: unknown): value is PreparedJson<unknown> {
  return isMarked(value, PREPARED_JSON);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
