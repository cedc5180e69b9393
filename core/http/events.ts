import type { Contract, TypeOf } from '../contracts/typed.ts';
import type { Call, HeadersOf, RequestHeaders } from './call.ts';
import type { SharedFrame } from './frame.ts';
import { isMarked, SERVER_EVENT } from './marks.ts';
import type { Params } from './path.ts';
import type { EndpointSpec, QueryOf } from './route.ts';

export interface EventsSpec<P extends string, Q, F, H = RequestHeaders> extends EndpointSpec<P, H> {
  readonly query?: Q;
  /** The data of every event: one JSON value each. */
  readonly frame: F;
  /** The text of the ids of events; a `Last-Event-ID` that does not fit is refused. */
  readonly eventId?: Contract;
  /**
   * Also take the credential as `?token=`, for an `EventSource`, which can set no headers, under whatever guard. It is taken
   * out of the query and written to no log.
   */
  readonly tokenInQuery?: boolean;
}

/** A call that opened an event stream. */
export interface EventsCall<P, Q, H = Record<never, never>> extends Call<P, Q, undefined, H> {
  /** The id of the last event that a client got before it lost its connection, 1 to 256 printable ASCII characters. */
  readonly lastEventId: string | undefined;
}

/** A frame with an id, which a client that lost its connection sends when it comes back. Made by `event`. */
export interface ServerEvent<F> {
  readonly [SERVER_EVENT]: true;
  readonly id: string;
  readonly frame: F | SharedFrame<F>;
}

/** The id is 1 to 256 printable ASCII characters without spaces; anything else ends the stream as a fault. */
export function event<F>(id: string | number, frame: F | SharedFrame<F>): ServerEvent<F> {
  return { [SERVER_EVENT]: true, id: String(id), frame };
}

export interface Events<C = any, F = any> {
  readonly kind: 'events';
  readonly path: `/${string}`;
  readonly spec: EventsSpec<any, any, any, any>;
  readonly types?: { readonly call: C; readonly frame: F };
}

/** Declares a stream of server-sent events at a path, which `EventSource` reads. Its handler is an async generator. */
export function events<
  const P extends `/${string}`,
  F extends Contract,
  Q extends Contract | undefined = undefined,
  const H extends RequestHeaders = Record<never, never>,
>(path: P, spec: EventsSpec<P, Q, F, H>): Events<EventsCall<Params<P>, QueryOf<Q>, HeadersOf<H>>, TypeOf<F>> {
  return { kind: 'events', path, spec };
}

const EVENT_ID = /^[\x21-\x7e]{1,256}$/;

export function isEventId(text: string): boolean {
  return EVENT_ID.test(text);
}

export function isServerEvent(value: unknown): value is ServerEvent<unknown> {
  return isMarked(value, SERVER_EVENT);
}
