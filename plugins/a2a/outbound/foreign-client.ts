import { isMeshError } from '../../../core/plugin.ts';
import type { Http, HttpResponse } from '../../../core/services.ts';
import { cleaned, type Told, toldBy } from './foreign-objects.ts';
import type { ForeignAgent } from './records.ts';

const TIMEOUT = 30_000;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_REASON = 512;
/** Errors of this node before a call has left it. */
const UNSENT: readonly string[] = ['forbidden', 'invalid_request', 'rate_limited'];

/** Words of the owner, for an agent elsewhere. */
export interface Words {
  readonly messageId: string;
  readonly text: string;
  /** The task that they go on with; both are empty for a new one. */
  readonly task: string;
  readonly context: string;
}

/**
 * Why a call brought nothing. `refused`: the agent answered that it does not do it. `unsent`: it certainly has not seen the call.
 * `unanswered`: it may have.
 */
export class ForeignFault extends Error {
  readonly kind: 'refused' | 'unsent' | 'unanswered';

  constructor(kind: ForeignFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Speaks A2A 1.0 with agents elsewhere, over the interface that their card prefers. */
export class ForeignClient {
  readonly #http: Http;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #signal: AbortSignal;

  /** `tokens` are Bearer tokens by the origin that they are for. */
  constructor(http: Http, tokens: ReadonlyMap<string, string>, signal: AbortSignal) {
    this.#http = http;
    this.#tokens = tokens;
    this.#signal = signal;
  }

  send(agent: ForeignAgent, { messageId, text, task, context }: Words): Promise<Told> {
    const message = {
      ...{ messageId, role: 'ROLE_USER', parts: [{ text }] },
      ...(task !== '' && { taskId: task }),
      ...(context !== '' && { contextId: context }),
    };
    const params = { message, configuration: { returnImmediately: true } };
    return this.#call(agent, 'SendMessage', params, ['POST', 'message:send']);
  }

  task(agent: ForeignAgent, id: string): Promise<Told> {
    return this.#call(agent, 'GetTask', { id }, ['GET', `tasks/${encodeURIComponent(id)}`]);
  }

  cancel(agent: ForeignAgent, id: string): Promise<Told> {
    return this.#call(agent, 'CancelTask', { id }, ['POST', `tasks/${encodeURIComponent(id)}:cancel`]);
  }

  async #call(
    agent: ForeignAgent,
    method: string,
    params: object,
    [verb, path]: readonly ['GET' | 'POST', string],
  ): Promise<Told> {
    const tenant = agent.tenant === null ? {} : { tenant: agent.tenant };
    const value =
      agent.binding === 'JSONRPC'
        ? await this.#rpc(agent, method, { ...tenant, ...params })
        : await this.#rest(
            agent,
            verb,
            path,
            verb === 'GET' || path !== 'message:send' ? tenant : { ...tenant, ...params },
          );
    const told = toldBy(value);
    if (!told) throw new ForeignFault('unanswered', 'The agent answered with neither a task nor a message of A2A 1.0.');
    return told;
  }

  async #rpc(agent: ForeignAgent, method: string, params: object): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await this.#request(agent.url, 'POST', 'application/json', body);
    const { result, error } = objectIn(answer);
    if (error !== undefined) throw refusedBy(error, answer.status);
    if (answer.status !== 200 || result === undefined) throw unreadable(answer.status);
    return result;
  }

  async #rest({ url, tenant }: ForeignAgent, verb: 'GET' | 'POST', path: string, body: object): Promise<unknown> {
    const query = verb === 'GET' && tenant !== null ? `?tenant=${encodeURIComponent(tenant)}` : '';
    const at = `${url.replace(/\/+$/, '')}/${path}${query}`;
    const text = verb === 'GET' ? undefined : JSON.stringify(body);
    const answer = await this.#request(at, verb, 'application/a2a+json', text);
    const value = objectIn(answer);
    if (answer.status < 200 || answer.status >= 300) {
      if (answer.status >= 500) throw unreadable(answer.status);
      throw refusedBy(value['error'] ?? value, answer.status);
    }
    return value;
  }

  async #request(url: string, method: 'GET' | 'POST', type: string, body: string | undefined): Promise<HttpResponse> {
    const token = this.#tokens.get(new URL(url).origin);
    const headers = {
      ...{ accept: type, 'a2a-version': '1.0' },
      ...(body !== undefined && { 'content-type': type }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const options = { method, headers, timeout: TIMEOUT, maxBytes: MOST_BYTES, signal: this.#signal } as const;
    try {
      // A card of others names the address, so only those that the owner granted by name may be private.
      const call = { ...options, publicOnly: true, ...(body !== undefined && { body }) };
      return await this.#http.request(url, call);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!isMeshError(error)) throw error;
      throw new ForeignFault(
        UNSENT.includes(error.code) ? 'unsent' : 'unanswered',
        cleaned(error.message, MOST_REASON),
      );
    }
  }
}

function objectIn(answer: HttpResponse): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.text());
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below, with the status.
  }
  throw unreadable(answer.status);
}

function unreadable(status: number): ForeignFault {
  // A gateway says 401, 403, 404, 413 or 429 in its own words; then the agent has seen nothing.
  if (status >= 400 && status < 500)
    return new ForeignFault('refused', `The agent answered with the status ${status}.`);
  return new ForeignFault('unanswered', `The agent answered with the status ${status} and nothing that A2A 1.0 knows.`);
}

function refusedBy(error: unknown, status: number): ForeignFault {
  const { message, code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  const words = typeof message === 'string' ? cleaned(message, MOST_REASON) : `with the status ${status}`;
  return new ForeignFault('refused', `The agent refused: ${words}${typeof code === 'number' ? ` (${code})` : ''}`);
}
