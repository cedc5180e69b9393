import type { Clock } from '../platform/clock.ts';
import { visible } from '../platform/visible-text.ts';
import type { TokenRequest } from '../protocol/signer/token-request.ts';
import { ClientError, refusal } from './client-error.ts';
import { readAtMost } from './read-at-most.ts';

/** Bytes of an answer in JSON, and of the longest list of leaves: whoever answers may be anybody. */
const MOST_JSON = 16 * 1024 * 1024;
const MOST_BYTES = 128 * 1024 * 1024;

/** Closes an error about an answer that no node gives. */
export const WHERE = 'the url must be that of a node or an aggregator';

export interface CallOptions {
  /** Ends the call, which rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which this call is given up, in place of the client's. */
  readonly timeout?: number | undefined;
  /** The idempotency key: a call that is repeated with it has its effect once. The client makes one where it is absent. */
  readonly key?: string | undefined;
}

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

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
  /** The WebSocket class for streams; the platform's own, or that of the package `ws` on a Node without one. */
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
  /** Tells of pings, where the class does: a line is then known to be dead by its silence. */
  on?(event: 'ping', listener: () => void): unknown;
}

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/** A call answers with JSON of that kind, with bytes, with text, or says no more than that it was done. */
export type AnswerKind = 'object' | 'list' | 'value' | 'bytes' | 'text' | 'nothing';

export interface Request extends CallOptions {
  readonly method: string;
  readonly path: string;
  readonly answer: AnswerKind;
  readonly query?: QueryValues;
  readonly headers?: QueryValues;
  /** JSON as text, or bytes as they are. */
  readonly body?: string | Uint8Array | undefined;
  /** Sends an idempotency key. */
  readonly once?: boolean;
  /** Signed by the agent for this one request, instead of the secret. */
  readonly signed?: boolean;
  /** A status that is an answer too, although it is not 2xx, or any. */
  readonly also?: number | 'any' | undefined;
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
    if (!/^https?:\/\/[^/]/i.test(options.url))
      throw new TypeError(`the url begins with http:// or https:// and names a host; it is ${options.url}`);
    this.options = options;
    if (options.secret !== undefined) this.options = { ...options, secret: headerValue(options.secret) };
    // A browser refuses a call of its `fetch` as a method of something else.
    const own = options.fetch;
    this.#fetch = own ? (input, init) => own(input, init) : (input, init) => fetch(input, init);
  }

  get<T>(path: string, query: QueryValues = {}): Promise<T> {
    return this.send<T>({ method: 'GET', path, query, answer: 'value' });
  }

  /** Repeating the same call with the same `key` has its effect once. */
  post<T>(path: string, body: unknown, key?: string): Promise<T> {
    return this.send<T>({ method: 'POST', path, body: JSON.stringify(body ?? {}), once: true, key, answer: 'value' });
  }

  /** The same, signed by the agent for this one request. */
  postSigned<T>(path: string, body: unknown, key?: string): Promise<T> {
    const request = { method: 'POST', path, body: JSON.stringify(body ?? {}), once: true, key, signed: true } as const;
    return this.send<T>({ ...request, answer: 'value' });
  }

  /** Sends bytes as they are. */
  put<T>(path: string, body: Uint8Array, query: QueryValues = {}): Promise<T> {
    return this.send<T>({ method: 'PUT', path, query, body, answer: 'value' });
  }

  /** The answer's bytes as they are. */
  bytes(path: string): Promise<Uint8Array> {
    return this.send({ method: 'GET', path, answer: 'bytes' });
  }

  /** Any call, answered whatever the status; the body is undefined where it is no JSON. */
  async answered(request: Omit<Request, 'answer' | 'also'>): Promise<{ status: number; body: unknown }> {
    const { status, bytes } = await this.#exchange({ ...request, answer: 'value', also: 'any' });
    return { status, body: parsed(bytes) };
  }

  /** Any call. The answer is of the kind that the request names, or the call rejects with `invalid_answer`. */
  async send<T>(request: Request): Promise<T> {
    const { status, bytes } = await this.#exchange(request);
    const { method, path, answer } = request;
    if (answer === 'bytes') return bytes as T;
    if (answer === 'nothing' || (answer === 'value' && status === 204)) return undefined as T;
    if (answer === 'text') return new TextDecoder().decode(bytes) as T;
    const value = parsed(bytes);
    const wrong = value === undefined ? 'is not JSON' : !fits(value, answer) && `is no JSON ${answer}`;
    if (!wrong) return value as T;
    throw new ClientError(`${method} ${path}: the answer ${wrong}; ${WHERE}`, { status, code: 'invalid_answer' });
  }

  /** Runs once after so many milliseconds of the client's clock; the returned function cancels. */
  after(ms: number, run: () => void): () => void {
    return this.options.clock ? this.options.clock.after(ms, run) : after(ms, run);
  }

  async #tokenFor({ method, path, query = {} }: Request, body: string | Uint8Array): Promise<string> {
    const { sign, url, audience = url } = this.options;
    if (!sign) {
      const message = `${method} ${path}: only the agent itself may call this; give the client \`sign\``;
      throw new ClientError(message, { status: 0, code: 'not_signed' });
    }
    const { pathname, search } = new URL(address('http://path', path, query));
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    return sign({ audience: publicUrl(audience), method, target: pathname + search, body: bytes });
  }

  async #exchange(request: Request): Promise<Incoming> {
    const { method, path, query = {}, body, also, answer } = request;
    const { url, secret, newKey = randomKey } = this.options;
    const credential = request.signed ? await this.#tokenFor(request, body ?? '') : secret;
    const key = request.key ?? (request.once ? newKey() : undefined);
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== undefined)
      headers['content-type'] = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (value != null) headers[name.toLowerCase()] = String(value);
    if (credential !== undefined) headers['authorization'] = `Bearer ${credential}`;
    if (key !== undefined) headers['idempotency-key'] = key;
    const init: RequestInit = { method, headers, redirect: 'manual' };
    if (body !== undefined) init.body = body as string;
    const line = `${method} ${path}`;
    const most = answer === 'bytes' ? MOST_BYTES : MOST_JSON;
    const found = await this.#within(request, async (signal) => {
      const response = await this.#fetch(address(url, path, query), { ...init, signal });
      if (!response.ok && also !== 'any' && response.status !== also) return refusal(line, response, key);
      return { status: response.status, bytes: await readAtMost(response, most) };
    }).catch((cause: unknown) => {
      const ended = request.signal?.aborted;
      const message = ended ? `${line}: the caller ended it` : `${line}: ${reason(cause)}`;
      const code = ended ? 'aborted' : 'unreachable';
      return new ClientError(message, { status: 0, code, url, ...(key !== undefined && { key }), cause });
    });
    if (found instanceof ClientError) throw found;
    return found;
  }

  /** Ends the work at the deadline, or when the caller says so. */
  async #within<T>({ signal, timeout }: CallOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ms = timeout ?? this.options.timeout ?? 30_000;
    const end = new AbortController();
    const late = () => end.abort(new DOMException('no answer in time', 'TimeoutError'));
    const stop = () => end.abort(signal!.reason);
    const cancel = this.after(ms, late);
    signal?.addEventListener('abort', stop);
    try {
      if (signal?.aborted) stop();
      return await work(end.signal);
    } finally {
      cancel();
      signal?.removeEventListener('abort', stop);
    }
  }
}

/** A secret as it came out of a file. What no header carries is refused here, where the error does not show it. */
function headerValue(secret: string): string {
  const value = secret.trim();
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError('the secret is empty or has characters that no header carries; give the content of api-secret');
}

/** A server's public URL as tokens name it: without a slash at the end. */
export function publicUrl(url: string): string {
  return url.replace(/\/$/, '');
}

export function address(base: string, path: string, query: QueryValues): string {
  const url = new URL(base.replace(/\/$/, '') + path);
  for (const [name, value] of Object.entries(query)) if (value != null) url.searchParams.set(name, String(value));
  return url.href;
}

/** Undefined for what is no JSON, and for bytes that are no text. */
export function parsed(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch {
    return undefined;
  }
}

function fits(value: unknown, kind: AnswerKind): boolean {
  if (kind === 'list') return Array.isArray(value);
  return kind === 'value' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}

/** `crypto.randomUUID` is missing on pages that came over plain HTTP. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'no answer in time';
  // A host of several addresses fails with an error that has a code and no message.
  const { message, code } = (cause.cause ?? cause) as { message?: string; code?: string };
  return visible(message || code || cause.message);
}
