import type { Contract, TypeOf } from '../contracts/typed.ts';
import type { Call, HeadersOf, RequestHeaders } from './call.ts';
import type { Params } from './path.ts';
import type { BodyOf, EndpointSpec, QueryOf } from './route.ts';

export interface StreamSpec<P extends string, Q, F, G, H = RequestHeaders> extends EndpointSpec<P, H> {
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
export type SocketSpec<P extends string, H = RequestHeaders> = EndpointSpec<P, H>;

/** A call that opened a stream. `received` ends when the client leaves. */
export interface StreamCall<P, Q, G, H = Record<never, never>> extends Call<P, Q, undefined, H> {
  readonly received: AsyncIterable<G>;
}

export interface Stream<C = any, F = any> {
  readonly kind: 'stream';
  readonly path: `/${string}`;
  readonly spec: StreamSpec<any, any, any, any, any>;
  readonly types?: { readonly call: C; readonly frame: F };
}

export interface Socket<C = any> {
  readonly kind: 'socket';
  readonly path: `/${string}`;
  readonly spec: SocketSpec<any, any>;
  readonly types?: { readonly call: C };
}

/** Declares a WebSocket stream of JSON frames. Its handler is an async generator; see `Handler`. */
export function stream<
  const P extends `/${string}`,
  F extends Contract,
  Q extends Contract | undefined = undefined,
  G extends Contract | undefined = undefined,
  const H extends RequestHeaders = Record<never, never>,
>(
  path: P,
  spec: StreamSpec<P, Q, F, G, H>,
): Stream<StreamCall<Params<P>, QueryOf<Q>, BodyOf<G>, HeadersOf<H>>, TypeOf<F>> {
  return { kind: 'stream', path, spec };
}

/** Declares a WebSocket of raw binary messages, such as the mesh's `/mesh`. */
export function socket<const P extends `/${string}`, const H extends RequestHeaders = Record<never, never>>(
  path: P,
  spec: SocketSpec<P, H>,
): Socket<Call<Params<P>, Record<never, never>, undefined, HeadersOf<H>>> {
  return { kind: 'socket', path, spec };
}

/**
 * A WebSocket of whole messages, up to 132 KiB: the part of a `ws` socket that transports use. Messages that arrive
 * before a listener is attached are lost, so attach in the turn in which the handler is called.
 */
export interface RawSocket {
  /** Bytes given to `send` that the operating system has not taken; above 16 MiB the client is given up with 4008. */
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
