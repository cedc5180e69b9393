import type { Clock } from '../platform/clock.ts';
import type { TokenRequest } from '../protocol/signer/agent-token.ts';
import { ClientError, refusal } from './client-error.ts';
import { readAtMost } from './read-at-most.ts';

/** Bytes of an answer in JSON, and of the longest list of leaves: whoever answers may be anybody. */
const MOST_JSON = 16 * 1024 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;

export interface ClientOptions {
  /** Where it listens, such as `http://127.0.0.1:9090`. */
  readonly url: string;
  /** The API secret of a node, or another Bearer credential that holds for every call. */
  readonly secret?: string;
  /** Signs the calls of an aggregator that only the agent itself may make; see `keyFileSigner`. */
  readonly sign?: SignRequest;
  /** The aggregator's public URL, which its tokens name; needed where `url` is another way to reach it. */
  readonly audience?: string;
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

/** Gives the agent token for one request. */
export type SignRequest = (request: TokenRequest) => string | Promise<string>;

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

interface Outgoing {
  readonly query?: QueryValues;
  readonly body?: string | Uint8Array;
  readonly key?: string;
  /** Bytes that the answer may have. */
  readonly most?: number;
  /** Instead of the secret. */
  readonly credential?: string;
  /** A status that is an answer too, although it is not 2xx. */
  readonly also?: number;
}

interface Incoming {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/**
 * Calls one server: JSON in, JSON out, refusals as ClientError. No redirect is followed: it would have this process call
 * addresses that nobody configured, such as those of a private network.
 */
export class HttpCaller {
  readonly options: ClientOptions;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    this.options = options;
    this.#fetch = options.fetch ?? fetch;
  }

  get<T>(path: string, query: QueryValues = {}): Promise<T> {
    return this.#json<T>('GET', path, { query });
  }

  /** Reads a server's state: it answers 503 with the same shape while it cannot serve. */
  state<T>(path: string): Promise<T> {
    return this.#json<T>('GET', path, { also: 503 });
  }

  /** Repeating the same call with the same `key` has its effect once. */
  post<T>(path: string, body: unknown, key: string = this.#newKey()): Promise<T> {
    return this.#json<T>('POST', path, { body: JSON.stringify(body ?? {}), key });
  }

  /** The same, signed by the agent for this one request. */
  async postSigned<T>(path: string, body: unknown, key: string = this.#newKey()): Promise<T> {
    const text = JSON.stringify(body ?? {});
    const credential = await this.#tokenFor('POST', path, text);
    return this.#json<T>('POST', path, { body: text, key, credential });
  }

  /** Sends bytes as they are. */
  put<T>(path: string, body: Uint8Array, query: QueryValues = {}): Promise<T> {
    return this.#json<T>('PUT', path, { query, body });
  }

  /** The answer's bytes as they are. */
  async bytes(path: string): Promise<Uint8Array> {
    return (await this.#call('GET', path, { most: MOST_BYTES })).bytes;
  }

  #newKey(): string {
    return this.options.newKey?.() ?? crypto.randomUUID();
  }

  async #tokenFor(method: string, path: string, body: string): Promise<string> {
    const { sign, url, audience = url } = this.options;
    if (!sign) {
      const message = `${method} ${path}: only the agent itself may call this; give the client \`sign\``;
      throw new ClientError(message, { status: 0, code: 'not_signed' });
    }
    const { pathname: target } = new URL(path, 'http://path');
    return sign({ audience: publicUrl(audience), method, target, body: new TextEncoder().encode(body) });
  }

  async #json<T>(method: string, path: string, call: Outgoing): Promise<T> {
    const { status, bytes } = await this.#call(method, path, call);
    if (status === 204) return undefined as T;
    try {
      return JSON.parse(new TextDecoder().decode(bytes)) as T;
    } catch {
      throw new ClientError(`${method} ${path}: the answer is not JSON`, { status, code: 'invalid_answer' });
    }
  }

  async #call(method: string, path: string, { query = {}, body, key, ...call }: Outgoing): Promise<Incoming> {
    const { timeout = 30_000 } = this.options;
    const { credential = this.options.secret, most = MOST_JSON } = call;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (credential !== undefined) headers['authorization'] = `Bearer ${credential}`;
    if (body !== undefined)
      headers['content-type'] = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
    if (key !== undefined) headers['idempotency-key'] = key;
    const init: RequestInit = { method, headers };
    if (body !== undefined) init.body = body as string;
    const line = `${method} ${path}`;
    const answer = await this.#within(timeout, async (signal) => {
      const response = await this.#fetch(address(this.options.url, path, query), {
        ...init,
        signal,
        redirect: 'error',
      });
      if (!response.ok && response.status !== call.also) return refusal(line, response);
      return { status: response.status, bytes: await readAtMost(response, most) };
    }).catch((cause: unknown) => {
      const { url } = this.options;
      return new ClientError(`${line}: ${reason(cause)}`, { status: 0, code: 'unreachable', url });
    });
    if (answer instanceof ClientError) throw answer;
    return answer;
  }

  async #within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock } = this.options;
    if (!clock) return work(AbortSignal.timeout(ms));
    const late = new AbortController();
    const cancel = clock.after(ms, () => late.abort(new DOMException('no answer in time', 'TimeoutError')));
    return work(late.signal).finally(cancel);
  }
}

/** A server's public URL as tokens name it: without a slash at the end. */
export function publicUrl(url: string): string {
  return url.replace(/\/$/, '');
}

export function address(base: string, path: string, query: QueryValues): string {
  const url = new URL(base.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'no answer in time';
  // A host of several addresses fails with an error that has a code and no message.
  const { message, code } = (cause.cause ?? cause) as NodeJS.ErrnoException;
  return message || code || cause.message;
}
