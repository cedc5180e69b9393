import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock.ts';
import type { Count } from '../platform/metrics.ts';
import { placeOf } from '../platform/place-of.ts';
import { Places } from './places.ts';
import { internalProblem, type ProblemAnswer, problemOf, storageProblem } from './problem-details.ts';
import { RequestIds } from './request-ids.ts';
import type { ServerOptions } from './server.ts';
import { UnsentBytes } from './unsent.ts';

const CLIENT_LEFT = new Error('the client left');

/** One running call or open socket. Its signal is made when somebody asks for it: most handlers never do. */
export class OpenCall {
  readonly #open: Set<OpenCall>;
  #controller: AbortController | undefined;

  constructor(open: Set<OpenCall>) {
    this.#open = open;
    open.add(this);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** The call was answered. */
  done(): void {
    this.#open.delete(this);
  }

  /** The client left before that, or the node stops. */
  abort(reason: Error = CLIENT_LEFT): void {
    this.#open.delete(this);
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

/** The state that requests and sockets of one server share: its phase, its running calls, its counters. */
export class ServerState {
  readonly #sentFrames: Count;
  readonly #sent = new Map<string, number>();
  /** Sockets and event streams share the number that an address may have, and the bytes that wait for slow clients. */
  readonly places: Places;
  readonly unsent: UnsentBytes;
  readonly closedSockets: Count;
  readonly refusedUpgrades: Count;
  /** Every answer that is a problem document, by its code. */
  readonly #refused: Count;
  readonly #options: ServerOptions;
  readonly #calls = new Set<OpenCall>();
  readonly #ids: RequestIds;
  #draining = false;
  #stopping = false;
  /** Why calls are not waited for any longer. */
  #aborted: Error | undefined;

  constructor(options: ServerOptions) {
    const { metrics } = options;
    this.#options = options;
    this.#ids = new RequestIds(options.random);
    this.places = new Places(options.socketsPerIp);
    this.unsent = new UnsentBytes(options.unsentBytes);
    const waiting = 'Bytes of streams that wait for slow clients.';
    metrics.gauge('mesh_stream_unsent_bytes', waiting, () => this.unsent.bytes);
    this.#sentFrames = metrics.counter('mesh_socket_frames_sent_total', 'Frames sent to streams.', ['route']);
    this.closedSockets = metrics.counter('mesh_sockets_closed_total', 'WebSockets closed, by code.', ['route', 'code']);
    this.#refused = metrics.counter('mesh_http_refused_total', 'Calls answered with a problem, by its code.', ['code']);
    this.refusedUpgrades = metrics.counter('mesh_upgrades_refused_total', 'WebSockets refused, by status.', ['status']);
  }

  /** Counts frames of a stream; to the counter itself goes one sum a turn, because a feed has thousands of clients. */
  sentTo(route: string, frames: number): void {
    if (this.#sent.size === 0) setImmediate(() => this.#countSent());
    this.#sent.set(route, (this.#sent.get(route) ?? 0) + frames);
  }

  #countSent(): void {
    for (const [route, frames] of this.#sent) this.#sentFrames({ route }, frames);
    this.#sent.clear();
  }

  /** Counts an answer to bytes that never became a request. */
  refused({ body }: ProblemAnswer): void {
    this.#refused({ code: String(body['code']) });
  }

  stopping(): boolean {
    return this.#stopping;
  }

  /** Whether each connection ends with its answer, so that its caller opens the next one elsewhere. */
  draining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
  }

  stop(): void {
    this.#stopping = true;
  }

  openCall(): OpenCall {
    const call = new OpenCall(this.#calls);
    if (this.#aborted) call.abort(this.#aborted);
    return call;
  }

  /** Aborted when the client leaves without its answer, and when the node does not wait for the call any longer. */
  signalOf(response: ServerResponse): AbortSignal {
    const call = this.openCall();
    const end = () => (response.writableFinished ? call.done() : call.abort());
    if (response.destroyed) end();
    else response.once('close', end);
    return call.signal;
  }

  abortCalls(): void {
    this.#aborted = new Error('the node is stopping');
    for (const call of this.#calls) call.abort(this.#aborted);
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** The caller's address, as the nearest trusted proxy saw it. */
  ipOf({ headers, socket }: IncomingMessage): string {
    const direct = socket.remoteAddress ?? '';
    if (this.#options.trustProxy === 0) return direct;
    const chain = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').filter(Boolean);
    return chain.slice(-this.#options.trustProxy)[0]?.trim() ?? direct;
  }

  /** The caller's own request id when it is harmless, else a new one. */
  requestIdOf({ headers }: IncomingMessage): string {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : this.newRequestId();
  }

  newRequestId(): string {
    return this.#ids.next();
  }

  /** The part of an error that a client may know; the rest goes to the log. */
  problemFor(error: unknown, request: IncomingMessage, requestId: string): ProblemAnswer {
    const problem = this.#problemFor(error, request, requestId);
    this.refused(problem);
    return problem;
  }

  #problemFor(error: unknown, request: IncomingMessage, requestId: string): ProblemAnswer {
    const instance = (request.url ?? '').split('?')[0] ?? '';
    const known = problemOf(error, instance, this.#options.errors);
    if (known) return known;
    const unavailable = storageProblem(error, instance);
    if (unavailable) {
      this.#options.log.warn({ err: error, requestId, method: request.method, path: instance }, 'the store refused');
      return unavailable;
    }
    this.#options.log.error(
      { err: error, at: placeOf(error), requestId, method: request.method, path: instance },
      'a call failed',
    );
    return internalProblem(instance);
  }
}
