import type { Clock } from '../clock.ts';
import { ClientError, refusal } from './client-error.ts';

export interface ClientOptions {
  /** Where it listens, such as `http://127.0.0.1:9090`. */
  readonly url: string;
  /** The API secret (node) or an agent token (aggregator), sent as a Bearer credential. */
  readonly secret?: string;
  /** Milliseconds after which a call is given up; 30 000 by default. */
  readonly timeout?: number;
  /** Replaces the platform's `fetch`, for instance in tests. */
  readonly fetch?: typeof fetch;
  /** Makes the idempotency key of a call; a random UUID unless given. */
  readonly newKey?: () => string;
  /** Measures the timeout; the platform's time unless given. */
  readonly clock?: Pick<Clock, 'after'>;
  /** The WebSocket class for streams; the platform's own, or `ws` on a Node without one. */
  readonly WebSocket?: WebSocketClass;
}

/** The part of the WebSocket standard that streams use. */
export interface WebSocketClass {
  new (url: string, protocols?: string | string[]): WebSocketLike;
}

export interface WebSocketLike {
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  close(code?: number, reason?: string): void;
}

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** Calls one server: JSON in, JSON out, refusals as ClientError. */
export class HttpCaller {
  readonly options: ClientOptions;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.options = options;
    this.#fetch = options.fetch ?? fetch;
  }

  get<T>(path: string, query: QueryValues = {}): Promise<T> {
    return this.#call<T>('GET', path, query);
  }

  /** Repeating the same call with the same `key` has its effect once. */
  post<T>(path: string, body: unknown, key?: string): Promise<T> {
    const { newKey = () => crypto.randomUUID() } = this.options;
    return this.#call<T>('POST', path, {}, body ?? {}, key ?? newKey());
  }

  async #call<T>(method: string, path: string, query: QueryValues, body?: unknown, key?: string): Promise<T> {
    const { secret, timeout = 30_000 } = this.options;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (secret !== undefined) headers['authorization'] = `Bearer ${secret}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (key !== undefined) headers['idempotency-key'] = key;
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const call = `${method} ${path}`;
    const answer = await this.#within(timeout, async (signal) => {
      const response = await this.#fetch(address(this.options.url, path, query), { ...init, signal });
      return response.ok ? { status: response.status, text: await response.text() } : refusal(call, response);
    }).catch((cause: unknown) => new ClientError(`${call}: ${reason(cause)}`, { status: 0, code: 'unreachable' }));
    if (answer instanceof ClientError) throw answer;
    const { status, text } = answer;
    if (status === 204) return undefined as T;
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new ClientError(`${call}: the answer is not JSON`, { status, code: 'invalid_answer' });
    }
  }

  async #within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock } = this.options;
    if (!clock) return work(AbortSignal.timeout(ms));
    const late = new AbortController();
    const cancel = clock.after(ms, () => late.abort(new DOMException('no answer in time', 'TimeoutError')));
    return work(late.signal).finally(cancel);
  }
}

export function address(base: string, path: string, query: QueryValues): string {
  const url = new URL(base.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'no answer in time';
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
