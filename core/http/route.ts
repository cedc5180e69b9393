/**
 * Declarations of what a face serves: HTTP routes, WebSocket streams and raw sockets. A declaration is data. It holds
 * no handler, so the whole API of a node can be checked, documented and drawn up without running anything; `setup`
 * binds the handlers by the same keys.
 */
import type { BuiltInErrorCode, ErrorCode } from '../contracts/errors.ts';
import type { Contract, TypeOf } from '../contracts/typed.ts';
import type { SharedFrame } from './frame.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `:name` segments of a path, as text. Malformed percent escapes never reach a handler. */
export type Params<P extends string> = { readonly [K in ParamNames<P>]: string };
type ParamNames<P extends string> = P extends `${string}:${infer N}/${infer Rest}`
  ? N | ParamNames<`/${Rest}`>
  : P extends `${string}:${infer N}`
    ? N
    : never;

/** How often one caller may call: at most `rate` calls per `window` seconds, refilled evenly. */
export interface Limit {
  /** `principal` falls back to the address for callers nobody vouches for. */
  readonly per: 'ip' | 'principal';
  readonly rate: number;
  /** Seconds. */
  readonly window: number;
}

/** What routes, streams and sockets have in common. */
export interface EndpointSpec<P extends string> {
  /**
   * The guard that decides who may call: `open` (everyone), `api` (Bearer = the node's API secret), `api-read` (the
   * same, but open on loopback unless the operator asks otherwise), `agent` (a token that an agent signed for this one
   * request; the principal's id is its key), or one declared under `guards` of any face.
   * There is no default. The guard runs before the body is read and before a socket is upgraded.
   */
  readonly auth: string;
  /** One sentence for people; becomes the summary in the OpenAPI document. */
  readonly summary?: string;
  /** Contracts of path parameters, by name; an undeclared one is any text of 1 to 256 characters. */
  readonly params?: { readonly [K in ParamNames<P>]?: Contract };
  readonly limit?: Limit;
  /** The feature this endpoint belongs to when a node may be run without it; shown as `x-feature`. */
  readonly feature?: string;
}

export interface RouteSpec<P extends string, Q, B, R, M extends string = string> extends EndpointSpec<P> {
  /** An object schema. Values arrive as text and are coerced to its types; defaults are filled in. */
  readonly query?: Q;
  /**
   * What the body must be. JSON unless `bytes`, which takes any content type. An absent body reads as `{}`, so a
   * schema without required members makes it optional. Defaults are filled in. Without `body`, a body is ignored.
   */
  readonly body?: B;
  /**
   * Other media types the body may come in beside JSON, each with a sentence for people that says what the bytes are.
   * The handler gets such a body as a `RawBody`.
   */
  readonly alsoTakes?: Readonly<Record<M, string>>;
  /** What the answer is: a contract, `bytes`, or, when absent, nothing (204). */
  readonly reply?: R;
  /** Status of a successful answer; 200, or 204 without `reply`. */
  readonly status?: number;
  /** Further statuses under which the same reply may come, such as the 503 of a readiness probe. */
  readonly statuses?: readonly number[];
  /** Of a `bytes` reply: its media type and an example, for the API document. */
  readonly media?: { readonly type: string; readonly example: string };
  /** Codes this route may answer with beyond those every route of its kind can (400, 401, 404, 413, 429 …). */
  readonly errors?: readonly (BuiltInErrorCode | ErrorCode)[];
  /**
   * Moves money, or agrees to move it: a member that looks like a misspelt known one is refused, where other routes
   * would ignore it and name it in the answer.
   */
  readonly money?: boolean;
  /** Bytes; 65 536 unless said otherwise. Larger bodies are refused with 413 while they are read. */
  readonly maxBody?: number;
  /**
   * Take an `Idempotency-Key` header: the same key with the same body gets the stored answer, with another body 422,
   * while the first is still running 409. Only for methods that change something.
   */
  readonly idempotency?: boolean;
}

export interface StreamSpec<P extends string, Q, F, G> extends EndpointSpec<P> {
  readonly query?: Q;
  /** Every frame sent: one JSON text message each. */
  readonly frame: F;
  /**
   * Also take the credential as `?token=`, for clients that cannot set headers, under whatever guard. It is taken out of
   * the query and written to no log.
   */
  readonly tokenInQuery?: boolean;
  /** Frames the client may send; without it, a client that sends is closed with 1008. At most 64 KiB each. */
  readonly receive?: G;
}

/** A raw socket takes binary messages of at most 132 KiB. */
export type SocketSpec<P extends string> = EndpointSpec<P>;

/** A body in one of the media types of `alsoTakes`, as it came. */
export interface RawBody<M extends string = string> {
  readonly media: M;
  readonly bytes: Uint8Array;
}

/** Who calls, as the route's guard found. `{ kind: 'anyone', id: '' }` behind `open`. */
export interface Principal {
  readonly kind: string;
  readonly id: string;
  /** SHA-256 (base64url) the body must have, when the credential is bound to it; core compares and answers 401. */
  readonly bodyHash?: string;
  /**
   * Names a credential that was made for one request, such as the `jti` of an agent token. It serves as the idempotency
   * key of a call that brings none, on every route that changes something; another request with it is answered 401.
   */
  readonly once?: string;
  /** How long `once` has to be remembered, Unix milliseconds; a day unless given. */
  readonly onceUntil?: number;
}

/** One request, already admitted, limited and validated. */
export interface Call<P = Record<never, string>, Q = Record<never, never>, B = undefined> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly principal: Principal;
  /** The caller's address; a forwarded one only when the operator set `trustProxy`. */
  readonly ip: string;
  /** Aborted when the client goes away or the node stops. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /**
   * Names in query and body that their contracts do not know, which an answer that is an object tells. A handler that
   * reads more names of the request adds those that it ignores.
   */
  readonly ignored: string[];
  /**
   * The idempotency key in force, unique per principal and route. Give it to the transaction that has the effect as its
   * `opId`: then key or token are marked together with the effect, and a call repeated after a crash does nothing twice.
   */
  readonly operationId: string | undefined;
}

/** A call that opened a stream. `received` ends when the client leaves. */
export interface StreamCall<P, Q, G> extends Call<P, Q> {
  readonly received: AsyncIterable<G>;
}

/** An answer that sets more than its value. Made by `answer`. */
export interface Answer<T> {
  readonly answer: true;
  readonly value: T;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function answer<T>(value: T, set: { status?: number; headers?: Readonly<Record<string, string>> }): Answer<T> {
  return { answer: true, value, ...set };
}

/** The JSON text of a reply, made earlier; sent as it is. Made by `preparedJson`. */
export interface PreparedJson<T> {
  readonly preparedJson: true;
  readonly text: string;
  readonly type?: T;
}

export function preparedJson<T>(text: string): PreparedJson<T> {
  return { preparedJson: true, text };
}

export interface Route<C = any, R = any> {
  readonly kind: 'route';
  readonly method: Method;
  readonly path: `/${string}`;
  readonly spec: RouteSpec<any, any, any, any, string>;
  readonly types?: { readonly call: C; readonly reply: R };
}

export interface Stream<C = any, F = any> {
  readonly kind: 'stream';
  readonly path: `/${string}`;
  readonly spec: StreamSpec<any, any, any, any>;
  readonly types?: { readonly call: C; readonly frame: F };
}

export interface Socket<C = any> {
  readonly kind: 'socket';
  readonly path: `/${string}`;
  readonly spec: SocketSpec<any>;
  readonly types?: { readonly call: C };
}

export type Endpoint = Route | Stream | Socket;

type PathOf<L> = L extends `${Method} ${infer P}` ? P : never;
type QueryOf<Q> = [Q] extends [Contract] ? TypeOf<Q> : Record<never, never>;
type BodyOf<B> = B extends 'bytes' ? Uint8Array : B extends Contract ? TypeOf<B> : undefined;
type RawOf<M extends string> = [M] extends [never] ? never : RawBody<M>;
type ReplyOf<R> = R extends 'bytes' ? Uint8Array : R extends Contract ? TypeOf<R> : void;

/** Declares an HTTP route: `route('POST /deals/:deal_id/accept', { auth: 'api', body: 'deal-accept', reply: 'deal' })`. */
export function route<
  const L extends `${Method} /${string}`,
  Q extends Contract | undefined = undefined,
  B extends Contract | 'bytes' | undefined = undefined,
  R extends Contract | 'bytes' | undefined = undefined,
  M extends string = never,
>(
  line: L,
  spec: RouteSpec<PathOf<L>, Q, B, R, M>,
): Route<Call<Params<PathOf<L>>, QueryOf<Q>, BodyOf<B> | RawOf<M>>, ReplyOf<R>> {
  const [method, path] = line.split(' ') as [Method, `/${string}`];
  return { kind: 'route', method, path, spec };
}

/** Declares a WebSocket stream of JSON frames. Its handler is an async generator; see `Handler`. */
export function stream<
  const P extends `/${string}`,
  F extends Contract,
  Q extends Contract | undefined = undefined,
  G extends Contract | undefined = undefined,
>(path: P, spec: StreamSpec<P, Q, F, G>): Stream<StreamCall<Params<P>, QueryOf<Q>, BodyOf<G>>, TypeOf<F>> {
  return { kind: 'stream', path, spec };
}

/** Declares a WebSocket of raw binary messages, such as the mesh's `/mesh`. */
export function socket<const P extends `/${string}`>(path: P, spec: SocketSpec<P>): Socket<Call<Params<P>>> {
  return { kind: 'socket', path, spec };
}

/** What a route's handler may return: its reply, its reply with more, or the text of it. */
type Returned<R> = R | Answer<R> | PreparedJson<R>;

/**
 * What `setup` binds to a declaration.
 *
 * A route's handler returns the reply (or an `answer` with status and headers, or `preparedJson`) or throws a `MeshError`; anything else
 * thrown is logged and answered with 500 `internal`.
 *
 * A stream's handler is an async generator of frames. It is asked for the next frame only while the client keeps up
 * (64 KiB unsent); its `finally` runs when the client leaves. Yield a `SharedFrame` to serialise once for many
 * clients. Returning closes with 1000, `throw new StreamEnd(code, reason)` with that code, any other throw with 1011.
 *
 * A socket's handler attaches its listeners before its first await.
 */
export type Handler<D> =
  D extends Route<infer C, infer R>
    ? (call: C) => Returned<R> | Promise<Returned<R>>
    : D extends Stream<infer C, infer F>
      ? (call: C) => AsyncIterable<F | SharedFrame<F>>
      : D extends Socket<infer C>
        ? (socket: RawSocket, call: C) => void
        : never;

/**
 * A WebSocket of whole messages, up to 132 KiB: the part of a `ws` socket that transports use. Messages that arrive
 * before a listener is attached are lost, so attach in the turn in which the handler is called.
 */
export interface RawSocket {
  /** Bytes given to `send` that the operating system has not taken. */
  readonly bufferedAmount: number;
  /** 1 while messages can be sent. */
  readonly readyState: number;
  /** Queues one message; `done` is called when it has left, with an error when it never will. */
  send(data: Uint8Array, options: { binary: boolean; compress: boolean }, done: (error?: Error) => void): void;
  /** Sends what is queued, then the close frame; `reason` is at most 123 bytes of UTF-8. */
  close(code?: number, reason?: string): void;
  /** Drops the connection at once. */
  terminate(): void;
  /** Stops reading from the client until `resume`. */
  pause(): void;
  resume(): void;
  on(event: 'message', listener: (data: unknown, binary: boolean) => void): unknown;
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}
