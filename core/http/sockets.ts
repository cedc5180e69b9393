import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import websockify from 'koa-websocket';
import type { WebSocket } from 'ws';
import { MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { networkOf } from '../platform/addresses.ts';
import { kindOf } from '../platform/kind-of.ts';
import { placeOf } from '../platform/place-of.ts';
import { confirmedProtocol } from './credential.ts';
import { CONSUMER_TOO_SLOW, type StreamEnd } from './frame.ts';
import { FrameCheck } from './frame-check.ts';
import type { Admitted } from './gate-factory.ts';
import { Heartbeat } from './heartbeat.ts';
import { framesWithHexIds } from './hex-ids.ts';
import { checkOrigin, hostCheck } from './origin.ts';
import { pump } from './pump.ts';
import { receivedFrom } from './received.ts';
import { refuse } from './refuse.ts';
import { noNotes } from './request-reader.ts';
import { NO_BODY, type RawSocket, type Socket, type Stream } from './route.ts';
import { Routing } from './routing.ts';
import { isWebSocket, type Mounted, mounted, type Served, type ServedSocket, type ServedStream } from './served.ts';
import type { ServerOptions } from './server.ts';
import type { ServerState } from './state.ts';
import { parseTarget } from './target.ts';

const MAX_MESSAGE = 132 * 1024;
/** Bytes that wait for the client of a raw socket before it is given up; the mesh gives its own up far below. */
const MOST_WAITING = 16 * 1024 * 1024;
const HEARTBEAT = 30_000;
const CLOSING = 2_000;
/** A client may close with any of two thousand codes of its own, which are one for the counters. */
const LAST_OF_PROTOCOL = 2_999;

interface Opening {
  readonly served: Mounted<Served<Stream | Socket>>;
  readonly admitted: Admitted;
  readonly ip: string;
  readonly requestId: string;
}

/** A WebSocket and the connection below it. */
interface Link {
  readonly socket: WebSocket;
  readonly connection: Duplex;
}

interface Call {
  readonly ip: string;
  readonly signal: AbortSignal;
}

interface Opened extends Opening {
  readonly connection: Duplex;
}

/**
 * WebSockets. Everything is decided before the upgrade (what is there, host and origin, guard, limits), so a refusal is
 * an ordinary HTTP answer; koa-websocket only hands over sockets that have been admitted.
 */
export class SocketServer {
  readonly #app: websockify.App;
  readonly #options: ServerOptions;
  readonly #state: ServerState;
  readonly #routing: Routing<Opening['served']>;
  readonly #checkHost: ReturnType<typeof hostCheck>;
  readonly #heartbeat: Heartbeat;
  readonly #openings = new WeakMap<IncomingMessage, Opened>();
  readonly #running = new Set<Promise<void>>();
  readonly #frames: FrameCheck;
  /** With which code this side closed. */
  readonly #ended = new WeakMap<WebSocket, number>();

  constructor(app: Koa, options: ServerOptions, state: ServerState) {
    this.#app = websockify(app);
    this.#options = options;
    this.#state = state;
    const served = options.served.filter(isWebSocket);
    this.#routing = new Routing(served.map((each) => mounted(each, options.gates)));
    this.#checkHost = hostCheck(options.policy);
    this.#frames = new FrameCheck(options.contracts);
    this.#heartbeat = new Heartbeat(options.clock, options.heartbeat ?? HEARTBEAT);
    this.#app.ws.use((ctx) => this.#opened(ctx.websocket, this.#openings.get(ctx.req)!));
    this.#app.ws.listen({
      noServer: true,
      maxPayload: MAX_MESSAGE,
      perMessageDeflate: false,
      handleProtocols: confirmedProtocol,
    });
    options.metrics.gauge('mesh_sockets_open', 'WebSockets open now.', () => this.clients.size);
  }

  get clients(): ReadonlySet<WebSocket> {
    return this.#app.ws.server!.clients;
  }

  /** Whether a path is a WebSocket, for requests that forgot to ask for an upgrade. */
  has(path: string): boolean {
    return this.#routing.find('GET', path).served !== undefined;
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const requestId = this.#state.requestIdOf(request);
    try {
      const opening = await this.admit(request);
      this.#openings.set(request, { ...opening, requestId, connection: socket });
      const server = this.#app.ws.server!;
      server.handleUpgrade(request, socket, head, (ws) => server.emit('connection', ws, request));
    } catch (error) {
      const problem = this.#state.problemFor(error, request, requestId);
      this.#state.refusedUpgrades({ status: String(problem.status) });
      refuse(socket, problem, { requestId, clock: this.#options.clock });
    }
  }

  /** Ends every stream and socket with 1001; cuts those that do not follow within 2 seconds. */
  async close(): Promise<void> {
    this.#heartbeat.stop();
    for (const socket of this.clients) {
      if (socket.isPaused) socket.resume();
      socket.close(1001, 'the node is stopping');
    }
    const cancel = this.#options.clock.after(CLOSING, () => {
      for (const socket of this.clients) socket.terminate();
    });
    await Promise.all([...this.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    cancel();
    await Promise.race([Promise.allSettled(this.#running), this.#options.clock.sleep(CLOSING)]);
  }

  /** Throws the refusal that an upgrade of this request gets. */
  async admit(request: IncomingMessage): Promise<Omit<Opening, 'requestId'>> {
    const { policy } = this.#options;
    this.#checkHost(request);
    const target = parseTarget(request.url ?? '/');
    const { served, params } = this.#routing.find('GET', target.path);
    const isOpen = served?.endpoint.kind === 'stream' && served.guard.spec === undefined;
    if (!(policy.openReads && isOpen)) checkOrigin(request.headers, policy);
    if (this.#state.stopping()) throw new MeshError('not_ready', { retryAfter: 1 });
    if (!served) throw new MeshError('not_found');
    const ip = this.#state.ipOf(request);
    const admitted = await served.gate.admit(request, target, params, ip);
    this.#state.places.require(ip);
    return { served, admitted, ip };
  }

  #opened(socket: WebSocket, { served, admitted, ip, requestId, connection }: Opened): void {
    const gone = this.#state.openCall();
    this.#heartbeat.watch(socket);
    const giveBack = this.#state.places.take(ip);
    socket.once('close', (code) => {
      gone.abort();
      giveBack();
      const theirs = code > LAST_OF_PROTOCOL ? 'other' : String(code);
      this.#state.closedSockets({ route: served.line, code: String(this.#ended.get(socket) ?? theirs) });
    });
    const { params, query, headers, principal, hexIds } = admitted;
    const ignored = [...admitted.ignored];
    const call = {
      params,
      query,
      headers,
      principal,
      ignored,
      body: undefined,
      rawBody: NO_BODY,
      ip,
      requestId,
      operationId: undefined,
      signal: gone.signal,
    };
    if (served.endpoint.kind === 'socket') {
      boundWaiting(socket, () => this.#end(socket, CONSUMER_TOO_SLOW, 'consumer_too_slow'));
      const started = new Promise<void>((resolve) =>
        resolve((served as ServedSocket).handler(socket as RawSocket, call)),
      );
      started.catch((error) => this.#failed(served, socket, error));
      return;
    }
    const link = { socket, connection };
    const run = this.#stream(served as Mounted<ServedStream>, link, call, hexIds).finally(() =>
      this.#running.delete(run),
    );
    this.#running.add(run);
  }

  async #stream(served: Mounted<ServedStream>, link: Link, call: Call, hexIds: boolean): Promise<void> {
    const { socket, connection } = link;
    const reader = {
      connection,
      network: networkOf(call.ip),
      end: () => this.#end(socket, CONSUMER_TOO_SLOW, 'consumer_too_slow'),
      destroy: () => socket.terminate(),
    };
    const { frame, receive } = served.endpoint.spec as { frame: Contract; receive?: Contract };
    const { gates, clock, checkReplies } = this.#options;
    const received = receivedFrom(
      socket,
      receive && ((text) => gates.reader.read(receive, parsed(text), 'input', noNotes())),
    );
    try {
      const frames = framesOf(served, served.handler({ ...call, received } as Parameters<ServedStream['handler']>[0]));
      await pump(link, hexIds ? framesWithHexIds(gates.reader.shapes, frame, frames) : frames, {
        clock,
        sent: (count) => this.#state.sentTo(served.endpoint.path, count),
        unsent: () => this.#state.unsent.note(reader),
        ...(checkReplies && {
          check: (value: unknown) => this.#frames.check(frame, value),
        }),
      });
      socket.close(this.#state.stopping() ? 1001 : 1000);
    } catch (error) {
      if (!call.signal.aborted) this.#failed(served, socket, error);
    }
  }

  #failed(served: Mounted, socket: WebSocket, error: unknown): void {
    if (error instanceof Error && error.name === 'StreamEnd') {
      const { code, message } = error as StreamEnd;
      this.#end(socket, code, message);
      return;
    }
    served.log.error({ err: error, at: placeOf(error), route: served.line }, 'a stream failed');
    this.#end(socket, 1011, 'internal');
  }

  /** A client that does not read misses the end too: its waiting bytes are dropped, and its place is free. */
  #end(socket: WebSocket, code: number, reason: string): void {
    this.#ended.set(socket, code);
    socket.close(code, reason);
    const cancel = this.#options.clock.after(CLOSING, () => socket.terminate());
    socket.once('close', cancel);
  }
}

/** Tells once that more waits for the client than a handler may leave there. */
function boundWaiting(socket: WebSocket, tooSlow: () => void): void {
  const send = socket.send.bind(socket) as (...message: unknown[]) => void;
  let told = false;
  socket.send = (...message: unknown[]) => {
    send(...message);
    if (told || socket.bufferedAmount <= MOST_WAITING) return;
    told = true;
    tooSlow();
  };
}

/** The frames of a handler; throws when it returned something else. */
function framesOf({ line, name, plugin }: Mounted<ServedStream>, returned: AsyncIterable<unknown>) {
  if (typeof Object(returned)[Symbol.asyncIterator] === 'function') return returned;
  const what = `the handler of ${line} in the plugin ${plugin} returned ${kindOf(returned)}, and no frames`;
  throw new Error(`${what}; write async *${name}(call) { yield frame; }`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MeshError('invalid_request', 'The message is not valid JSON.');
  }
}
