import { createServer, type Server } from 'node:http';
import type { Socket as TcpSocket } from 'node:net';
import Koa from 'koa';
import type { AgentKeys } from '../contracts/agent-keys.ts';
import type { Contracts } from '../contracts/contracts.ts';
import { MeshError } from '../contracts/errors.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { dispatch } from './dispatch.ts';
import { EventServer } from './event-server.ts';
import type { GateFactory } from './gate-factory.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { HttpNetwork, Listening } from './network.ts';
import type { OriginPolicy } from './origin.ts';
import { type ErrorTable, internalProblem, type ProblemAnswer, problemOf } from './problem-details.ts';
import { refuse } from './refuse.ts';
import type { Served } from './served.ts';
import { SocketServer } from './sockets.ts';
import { ServerState } from './state.ts';

export interface ServerOptions {
  readonly served: readonly Served[];
  readonly contracts: Contracts;
  readonly gates: GateFactory;
  readonly idempotency: IdempotencyStore | undefined;
  readonly agentKeys?: AgentKeys | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: HttpNetwork;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly errors: ErrorTable;
  readonly policy: OriginPolicy;
  /** Reverse proxies in front whose X-Forwarded-For is believed. */
  readonly trustProxy: number;
  readonly socketsPerIp: number;
  /** Bytes that all streams together may have waiting for clients that are slow to read. */
  readonly unsentBytes: number;
  /** TCP connections that may be open at once. */
  readonly connections: ConnectionLimits;
  readonly checkReplies: boolean;
  /** Milliseconds between pings. */
  readonly heartbeat?: number;
}

/** The HTTP and WebSocket front of a node: one listener over everything its faces serve. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #sockets: SocketServer;
  readonly #events: EventServer;
  readonly #state: ServerState;
  readonly #options: ServerOptions;
  #listening: Listening | undefined;

  constructor(options: ServerOptions) {
    const app = new Koa();
    app.silent = true;
    const state = new ServerState(options);
    this.#options = options;
    this.#state = state;
    this.#sockets = new SocketServer(app, options, state);
    this.#events = new EventServer(options, state);
    app.use(dispatch(options, state, this.#sockets, this.#events));
    this.#server = createServer(
      { connectionsCheckingInterval: 5_000, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
      app.callback(),
    );
    this.#connections = new Connections(this.#server, {
      ...options.connections,
      refuse: (socket, detail) =>
        refuseConnection(socket, new MeshError('rate_limited', { detail, retryAfter: 5 }), state),
    });
    this.#server.on('upgrade', (request, socket, head) => void this.#sockets.upgrade(request, socket, head));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      refuseMalformed(error, socket as TcpSocket, state),
    );
  }

  /** Resolves with the port; rejects with the system's error, such as EADDRINUSE. */
  async listen(host: string, port: number): Promise<number> {
    this.#listening = await this.#options.network.listen(this.#server, host, port);
    return this.#listening.port;
  }

  /** Goes on taking calls for so many milliseconds, each on a connection that ends with its answer. */
  async drain(ms: number): Promise<void> {
    if (!this.#listening || ms === 0) return;
    this.#state.drain();
    await this.#options.clock.sleep(ms);
  }

  /**
   * Takes no new calls, closes every socket with 1001, tells running calls through their signal after `grace`
   * milliseconds, and cuts what is left one second later.
   */
  async close(grace = 10_000): Promise<void> {
    if (!this.#listening) return;
    this.#state.stop();
    const closed = this.#listening.close();
    this.#listening = undefined;
    const cancels = [
      this.#options.clock.after(grace, () => this.#state.abortCalls()),
      this.#options.clock.after(grace + 1_000, () => this.#connections.destroyAll()),
    ];
    this.#connections.closeWhenIdle();
    await Promise.all([this.#sockets.close(), this.#events.close()]);
    await closed;
    for (const cancel of cancels) cancel();
  }
}

/** Answers bytes that are no HTTP request; Node has no request object for them. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: TcpSocket, state: ServerState): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const code =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'invalid_request';
  refuseConnection(socket, new MeshError(code), state);
}

/** Answers a connection whose request was never read. */
function refuseConnection(socket: TcpSocket, error: MeshError, state: ServerState): void {
  const problem: ProblemAnswer = problemOf(error, '') ?? internalProblem('');
  state.refused(problem);
  refuse(socket, problem, { requestId: state.newRequestId(), clock: state.clock });
}
