import type { Log } from '../platform/log.ts';
import type { Gate, GateFactory } from './gate-factory.ts';
import type { Admit, GuardSpec } from './guard.ts';
import { pathShape } from './path.ts';
import type {
  Call,
  Endpoint,
  Events,
  EventsCall,
  Files,
  FilesSpec,
  Principal,
  RawSocket,
  Route,
  Socket,
  Stream,
  StreamCall,
} from './route.ts';

/** A declaration with its handler and guard, as the server mounts it. */
export interface Served<E extends Endpoint = Endpoint> {
  readonly plugin: string;
  /** The key under which the face declared it. */
  readonly name: string;
  readonly endpoint: E;
  readonly handler: HandlerOf<E>;
  readonly guard: BoundGuard;
  /** Throws where no request could be served as things are. */
  readonly precondition?: () => void | Promise<void>;
  readonly log: Log;
}

export interface BoundGuard {
  readonly name: string;
  /** Undefined for `open`. */
  readonly spec: GuardSpec | undefined;
  readonly admit: Admit;
  /** Takes the payment that the principal came with, when all else of the call is in order. */
  readonly charge?: (principal: Principal, ip: string) => Promise<Charged>;
}

/** A payment that was taken for one answer. */
export interface Charged {
  /** The receipt. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer has left. */
  served(): Promise<void>;
  /** There is no answer: the payment buys another try. */
  failed(): Promise<void>;
}

export type AnyCall = Call<any, any, any, any>;
export type RouteHandler = (call: AnyCall) => unknown;
export type StreamHandler = (call: StreamCall<any, any, any, any>) => AsyncIterable<unknown>;
export type EventsHandler = (call: EventsCall<any, any, any>) => AsyncIterable<unknown>;
export type SocketHandler = (socket: RawSocket, call: AnyCall) => void;

/** Files have none. */
type HandlerOf<E extends Endpoint> = E extends Route
  ? RouteHandler
  : E extends Events
    ? EventsHandler
    : E extends Files
      ? undefined
      : E extends Stream
        ? StreamHandler
        : SocketHandler;

export type ServedRoute = Served<Route>;
export type ServedEvents = Served<Events>;
export type ServedFiles = Served<Files>;
export type ServedStream = Served<Stream>;
export type ServedSocket = Served<Socket>;

/** The served endpoints, with the parts that are made once so that no call has to. */
export type Mounted<S extends Served = Served> = S & {
  readonly line: string;
  readonly gate: Gate;
};

export function mounted<S extends Served>(served: S, gates: GateFactory): Mounted<S> {
  return { ...served, line: lineOf(served.endpoint), gate: gates.gateOf(served) };
}

/** Whether it is asked for by an upgrade. */
export function isWebSocket(served: Served): served is Served<Stream | Socket> {
  return served.endpoint.kind === 'stream' || served.endpoint.kind === 'socket';
}

/** `GET /agents/:id` and `GET /agents/:name` answer the same requests; both have this shape. */
export function shapesOf(endpoint: Endpoint): string[] {
  const method = endpoint.kind === 'route' ? endpoint.method : 'GET';
  const paths = endpoint.kind === 'files' ? [endpoint.root, endpoint.path] : [endpoint.path];
  const { pages = {}, missing }: Pick<FilesSpec, 'pages' | 'missing'> = endpoint.kind === 'files' ? endpoint.spec : {};
  return [
    ...paths.map((path) => `${method} ${pathShape(path)}`),
    ...Object.keys(pages).map((path) => `page ${pathShape(path)}`),
    ...(missing === undefined ? [] : ['page of what is missing']),
  ];
}

/** The line by which people know it: `POST /deals/:deal_id/accept`, `WS /ws/inbox`. */
export function lineOf(endpoint: Endpoint): string {
  const { kind, path } = endpoint;
  const verb = kind === 'route' ? endpoint.method : kind === 'stream' || kind === 'socket' ? 'WS' : 'GET';
  return `${verb} ${path}`;
}
