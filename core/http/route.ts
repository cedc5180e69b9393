/**
 * Declarations of what a face serves: HTTP routes, event streams, folders of files, WebSocket streams and raw sockets. A
 * declaration is data. It holds no handler, so the whole API of a node can be checked, documented and drawn up without
 * running anything; `setup` binds the handlers by the same keys.
 */
import type { BuiltInErrorCode, ErrorCode } from '../contracts/errors.ts';
import type { Contract, TypeOf } from '../contracts/typed.ts';
import type {
  Answer,
  ByteStream,
  Call,
  HeadersOf,
  PreparedJson,
  RawBody,
  Redirect,
  RedirectStatus,
  RequestHeaders,
} from './call.ts';
import type { Events, ServerEvent } from './events.ts';
import type { Files } from './files.ts';
import type { SharedFrame } from './frame.ts';
import type { ParamNames, Params } from './path.ts';
import type { RawSocket, Socket, Stream } from './stream.ts';

export * from './call.ts';
export { type Events, type EventsCall, type EventsSpec, event, events, type ServerEvent } from './events.ts';
export { type Files, type FilesSpec, files } from './files.ts';
export type { Params } from './path.ts';
export * from './stream.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The form of bytes that no contract describes. */
export interface RawMedia {
  readonly type: string;
  readonly example: string;
  /** Other media types in which they may come, each with an example. */
  readonly also?: Readonly<Record<string, string>>;
}

/** How often one caller may call: `rate` calls at once, refilled evenly over `window` seconds. */
export interface Limit {
  /** `principal` falls back to the address for callers nobody vouches for. */
  readonly per: 'ip' | 'principal';
  readonly rate: number;
  /** Seconds. */
  readonly window: number;
  /** Never more than `rate` in any `window`, and whoever is refused is told to wait for a whole one. For small rates. */
  readonly strict?: true;
}

/** Members that routes, streams and sockets have in common. */
export interface EndpointSpec<P extends string, H = RequestHeaders> {
  /**
   * The guard that decides who may call: `open` (everyone), `api` (Bearer = the node's API secret), `api-read` (the
   * same, but open on loopback unless the operator asks otherwise), `api-secret` (the same, on loopback always), `agent` (a token that an agent signed for this one
   * request; the principal's id is its key), `x402` (whoever pays the `price`; the principal's id is the wallet that paid), or one declared under `guards` of any face.
   * There is no default. The guard runs before the body is read and before a socket is upgraded.
   */
  readonly auth: string;
  /** One sentence for people; becomes the summary in the OpenAPI document. */
  readonly summary?: string;
  /**
   * Contracts of path parameters, by name; an undeclared one is any text of 1 to 256 characters, or 1,024 behind a
   * wildcard.
   */
  readonly params?: { readonly [K in ParamNames<P>]?: Contract };
  /**
   * The request headers that the handler gets, by their lower-case names: no other reaches it. Each is a contract of its
   * text; one that must be there is `{ required: contract }`. Headers that carry credentials belong to guards and may
   * not be declared.
   */
  readonly headers?: H;
  readonly limit?: Limit;
  /** Codes this endpoint may answer with beyond those every endpoint of its kind can (400, 401, 404, 413, 429 …). */
  readonly errors?: readonly (BuiltInErrorCode | ErrorCode)[];
  /** The feature this endpoint belongs to when a node may be run without it; shown as `x-feature`. */
  readonly feature?: string;
}

export interface RouteSpec<P extends string, Q, B, R, M extends string = string, H = RequestHeaders>
  extends EndpointSpec<P, H> {
  /** An object schema. Values arrive as text and are coerced to its types; defaults are filled in. */
  readonly query?: Q;
  /**
   * The contract of the body. JSON unless `bytes`, which takes any content type. An absent body reads as `{}`, so a
   * schema without required members makes it optional. Defaults are filled in. Without `body`, a body is ignored.
   *
   * `stream` takes any content type too, and hands it to the handler while it comes: an iterable, read once and no faster than the
   * handler asks. It throws a `MeshError` for a body that is larger than `maxBody`, stops for 30 seconds, takes more than ten minutes,
   * ends early, or is not the one that the credential was made for. Until it has ended without a throw, nothing of it is to be believed.
   */
  readonly body?: B;
  /**
   * Of a route with `auth: 'x402'`: what each call costs, decimal USDC such as `0.01`, at most 10. The handler runs once the ledger
   * has confirmed the payment, which then buys one answer: a handler that throws may be called again with the same payment.
   */
  readonly price?: string;
  /**
   * Other media types the body may come in beside JSON, each with a sentence for people that says what the bytes are.
   * The handler gets such a body as a `RawBody`.
   */
  readonly alsoTakes?: Readonly<Record<M, string>>;
  /** The contract of the answer: a schema, `bytes`, `stream` (a `ByteStream`), or, when absent, nothing (204). */
  readonly reply?: R;
  /** Status of a successful answer; 200, or 204 without `reply`. */
  readonly status?: number;
  /**
   * Further statuses under which the same reply may come, such as the 503 of a readiness probe; 304 comes without it. In
   * development any other status of an `answer` is a fault.
   */
  readonly statuses?: readonly number[];
  /** Of a `bytes` or `stream` reply, for the API document. */
  readonly media?: RawMedia;
  /** The headers that an `answer`, or the `MeshError` of a handler, may set, by their lower-case names, each with a contract of its text. */
  readonly replyHeaders?: Readonly<Record<string, Contract>>;
  /**
   * Where a `redirect` may lead, by its status: own paths (`/notes/`) and https URLs. One that ends in a slash stands for
   * all that begins with it.
   */
  readonly redirects?: { readonly [S in RedirectStatus]?: readonly string[] };
  /**
   * Moves money, or agrees to move it: a member that looks like a misspelt known one is refused, where other routes
   * would ignore it and name it in the answer.
   */
  readonly money?: boolean;
  /** Bytes; 65 536 unless said otherwise. Larger bodies are refused with 413 while they are read. */
  readonly maxBody?: number;
  /**
   * Bodies above 1 MiB that are held at the same time, half of them from one address: for routes that strangers call. One more is answered with
   * `rate_limited`. Any number unless given.
   */
  readonly largeBodies?: number;
  /**
   * Take an `Idempotency-Key` header: the same key with the same body gets the stored answer, with another body 422,
   * while the first is still running 409. Only for methods that change something.
   */
  readonly idempotency?: boolean;
  /**
   * `as-given`: the handler gets the ids of agents as the caller named them. Otherwise it gets the key in the place of an id that is an
   * asset of a registry. A cursor (`after`) stays as it is.
   */
  readonly agentIds?: 'as-given';
}

export interface Route<C = any, R = any> {
  readonly kind: 'route';
  readonly method: Method;
  readonly path: `/${string}`;
  readonly spec: RouteSpec<any, any, any, any, string, any>;
  readonly types?: { readonly call: C; readonly reply: R };
}

export type Endpoint = Route | Events | Files | Stream | Socket;

type PathOf<L> = L extends `${Method} ${infer P}` ? P : never;
export type QueryOf<Q> = [Q] extends [Contract] ? TypeOf<Q> : Record<never, never>;
export type BodyOf<B> = B extends 'bytes'
  ? Uint8Array
  : B extends 'stream'
    ? AsyncIterable<Uint8Array>
    : B extends Contract
      ? TypeOf<B>
      : undefined;
type RawOf<M extends string> = [M] extends [never] ? never : RawBody<M>;
type ReplyOf<R> = R extends 'bytes'
  ? Uint8Array
  : R extends 'stream'
    ? ByteStream
    : R extends Contract
      ? TypeOf<R>
      : void;

/** Declares an HTTP route: `route('POST /deals/:deal_id/accept', { auth: 'api', body: 'deal-accept', reply: 'deal' })`. */
export function route<
  const L extends `${Method} /${string}`,
  Q extends Contract | undefined = undefined,
  B extends Contract | 'bytes' | 'stream' | undefined = undefined,
  R extends Contract | 'bytes' | 'stream' | undefined = undefined,
  M extends string = never,
  const H extends RequestHeaders = Record<never, never>,
>(
  line: L,
  spec: RouteSpec<PathOf<L>, Q, B, R, M, H>,
): Route<Call<Params<PathOf<L>>, QueryOf<Q>, BodyOf<B> | RawOf<M>, HeadersOf<H>>, ReplyOf<R>> {
  const [method, path] = line.split(' ') as [Method, `/${string}`];
  return { kind: 'route', method, path, spec };
}

/** The value that a route's handler may return: its reply, its reply with more, the text of it, or where else to look. */
type Returned<R> = R | Answer<R> | PreparedJson<R> | Redirect;

/**
 * A handler that `setup` binds to a declaration.
 *
 * A route's handler returns the reply (or an `answer` with status and headers, `preparedJson` or a `redirect`) or throws a
 * `MeshError`; anything else thrown is logged and answered with 500 `internal`.
 *
 * A stream's handler is an async generator of frames. It is asked for the next frame only while the client keeps up
 * (64 KiB unsent); its `finally` runs when the client leaves. Yield a `SharedFrame` to serialise once for many
 * clients. Returning closes with 1000, `throw new StreamEnd(code, reason)` with that code, any other throw with 1011.
 *
 * The handler of events is such a generator too; it may yield an `event`, which is a frame with an id. The last event is
 * named `end` and has the code with which a stream would have closed.
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
        : D extends Events<infer C, infer F>
          ? (call: C) => AsyncIterable<F | SharedFrame<F> | ServerEvent<F>>
          : never;

/** The keys that `setup` binds: a folder of files needs no function. */
export type BoundKeys<R> = keyof { readonly [K in keyof R as R[K] extends Files ? never : K]: true };
