import { type Answer, answer, type ByteStream, type Log } from '../../../core/plugin.ts';
import type { Clock, Contracts } from '../../../core/services.ts';
import type { Result } from '../tasks/task-operations.ts';
import { eventText, json } from './answers.ts';
import { isOperation, type Operation, operationAt } from './operations.ts';
import { paramsOf } from './params.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { activated, bodyOf, isJson, requireVersion } from './request.ts';
import type { Visit } from './visit.ts';

export interface Request {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body?: AsyncIterable<Uint8Array>;
  /** Finds out who calls; rejects with a refusal. */
  readonly visit: () => Visit | Promise<Visit>;
}

export interface EntranceMeans {
  readonly run: (operation: Operation, params: never, visit: Visit) => Promise<Result>;
  readonly contracts: Contracts;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where requests come in, over JSON-RPC or HTTP+JSON, and every answer and error goes out in the protocol's own form. */
export class Entrance {
  readonly #means: EntranceMeans;

  constructor(means: EntranceMeans) {
    this.#means = means;
  }

  async rpc(request: Request): Promise<Answer<ByteStream>> {
    let id: unknown = null;
    try {
      if (!isJson(request.headers['content-type'], ['application/json']))
        throw new Refusal('CONTENT_TYPE_NOT_SUPPORTED', { detail: 'Send JSON-RPC as application/json.' });
      const call = await bodyOf(request.body);
      if (typeof call !== 'object' || call === null || Array.isArray(call)) throw new Refusal('request');
      const { jsonrpc, method, params = {}, id: given } = call as Record<string, unknown>;
      if (typeof given === 'string' || typeof given === 'number') id = given;
      if (jsonrpc !== '2.0' || typeof method !== 'string' || id === null) throw new Refusal('request');
      if (typeof params !== 'object' || params === null || Array.isArray(params)) throw new Refusal('params');
      requireVersion(request);
      if (!isOperation(method)) throw new Refusal('method');
      const result = await this.#run(method, params, request, false);
      const wrapped = (value: object) => ({ jsonrpc: '2.0', id, result: value });
      return this.#told(result, wrapped, 'application/json', request);
    } catch (error) {
      const refusal = this.#refusal(error);
      const inBody = ['parse', 'large', 'limit', 'timeout', 'internal', 'unavailable', 'CONTENT_TYPE_NOT_SUPPORTED'];
      const status = inBody.includes(refusal.kind) ? refusal.httpStatus : 200;
      // An error of A2A about a request that was read is an answer like any other.
      const shown = refusal.kind === 'CONTENT_TYPE_NOT_SUPPORTED' && id !== null ? 200 : status;
      return json({ jsonrpc: '2.0', id, error: refusal.rpc }, 'application/json', shown, refusal.details.retryAfter);
    }
  }

  async rest(request: Request, method: string, path: string): Promise<Answer<ByteStream>> {
    const accepted = request.headers['accept'] ?? '';
    const type =
      /\bapplication\/json\b/.test(accepted) && !accepted.includes('a2a+json')
        ? 'application/json'
        : 'application/a2a+json';
    try {
      requireVersion(request);
      const asked = operationAt(method, path);
      if (!asked) throw new Refusal('method', { detail: `There is no ${method} at this path.` });
      const { operation, path: named } = asked;
      const { 'A2A-Version': _, ...query } = request.query;
      const body = method === 'POST' ? await this.#restBody(request) : {};
      const result = await this.#run(operation, { ...query, ...body, ...named }, request, method !== 'POST');
      if (operation === 'DeleteTaskPushNotificationConfig') return json({}, type, 200);
      return this.#told(result, (value) => value, type, request);
    } catch (error) {
      const refusal = this.#refusal(error);
      return json(refusal.rest, type, refusal.httpStatus, refusal.details.retryAfter);
    }
  }

  async #restBody(request: Request): Promise<object> {
    const body = await bodyOf(request.body, true);
    if (body === undefined) return {};
    if (!isJson(request.headers['content-type'], ['application/json', 'application/a2a+json']))
      throw new Refusal('CONTENT_TYPE_NOT_SUPPORTED', { detail: 'Send application/a2a+json or application/json.' });
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal('params');
    return body;
  }

  async #run(operation: Operation, given: object, request: Request, text: boolean): Promise<Result> {
    const visit = await request.visit();
    const params = paramsOf(operation, given, this.#means.contracts, text);
    return this.#means.run(operation, params as never, visit);
  }

  #told(result: Result, wrapped: (value: object) => object, type: string, request: Request): Answer<ByteStream> {
    const extensions = activated(request);
    if ('value' in result) return json(wrapped(result.value), type, 200, undefined, extensions);
    const content = eventText(result.events, wrapped, this.#means.clock);
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
    return answer<ByteStream>({ content }, { headers: { ...headers, ...extensions } });
  }

  #refusal(error: unknown): Refusal {
    const refusal = refusalOf(error);
    if (refusal) return refusal;
    this.#means.log.error({ err: error }, 'a call over A2A failed');
    return new Refusal('internal');
  }
}
