import type { Log } from '../platform/log.ts';
import type { AdmissionDesk, Gate } from './admission.ts';
import type { Admit, GuardSpec } from './guard.ts';
import type { Call, Endpoint, RawSocket, Route, Socket, Stream, StreamCall } from './route.ts';

/** A declaration with its handler and guard, as the server mounts it. */
export interface Served<E extends Endpoint = Endpoint> {
  readonly plugin: string;
  /** The key under which the face declared it. */
  readonly name: string;
  readonly endpoint: E;
  readonly handler: E extends Route ? RouteHandler : E extends Stream ? StreamHandler : SocketHandler;
  readonly guard: BoundGuard;
  readonly log: Log;
}

export interface BoundGuard {
  readonly name: string;
  /** Undefined for `open`. */
  readonly spec: GuardSpec | undefined;
  readonly admit: Admit;
}

export type AnyCall = Call<any, any, any>;
export type RouteHandler = (call: AnyCall) => unknown;
export type StreamHandler = (call: StreamCall<any, any, any>) => AsyncIterable<unknown>;
export type SocketHandler = (socket: RawSocket, call: AnyCall) => void;

export type ServedRoute = Served<Route>;
export type ServedStream = Served<Stream>;
export type ServedSocket = Served<Socket>;

/** What is served, with what is made ready once so that no call has to. */
export type Mounted<S extends Served = Served> = S & {
  readonly line: string;
  readonly gate: Gate;
};

export function mounted<S extends Served>(served: S, desk: AdmissionDesk): Mounted<S> {
  return { ...served, line: lineOf(served.endpoint), gate: desk.gateOf(served) };
}

export function isRoute(served: Served): served is ServedRoute {
  return served.endpoint.kind === 'route';
}

/** `GET /agents/:id` and `GET /agents/:name` answer the same requests; both have this shape. */
export function shapeOf(endpoint: Endpoint): string {
  const method = endpoint.kind === 'route' ? endpoint.method : 'GET';
  return `${method} ${endpoint.path.replace(/:[^/]+/g, ':')}`;
}

/** The line by which people know it: `POST /deals/:deal_id/accept`, `WS /ws/inbox`. */
export function lineOf(endpoint: Endpoint): string {
  return `${endpoint.kind === 'route' ? endpoint.method : 'WS'} ${endpoint.path}`;
}
