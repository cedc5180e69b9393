import type { ServerResponse } from 'node:http';
import { MeshError } from '../contracts/errors.ts';
import type { Contract } from '../contracts/typed.ts';
import { networkOf } from '../platform/addresses.ts';
import { placeOf } from '../platform/place-of.ts';
import { COMMENT, endText, eventText, idAndFrame } from './event-text.ts';
import { isEventId } from './events.ts';
import { CONSUMER_TOO_SLOW, type StreamEnd } from './frame.ts';
import { FrameCheck } from './frame-check.ts';
import type { Admitted } from './gate-factory.ts';
import { withHexIds } from './hex-ids.ts';
import { type Pipe, pump } from './pump.ts';
import type { Context, Reply } from './reply.ts';
import { type EventsSpec, NO_BODY } from './route.ts';
import type { Mounted, ServedEvents } from './served.ts';
import type { ServerOptions } from './server.ts';
import type { ServerState } from './state.ts';

const HEARTBEAT = 30_000;
const CLOSING = 2_000;
const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that gather what they pass on would hold events back.
  'x-accel-buffering': 'no',
};

export interface EventsOpening {
  readonly served: Mounted<ServedEvents>;
  readonly admitted: Admitted;
  readonly ip: string;
  readonly ctx: Context;
  readonly reply: Reply;
}

/** Server-sent events: answers that go on until their handler or their client ends them. */
export class EventServer {
  readonly #options: ServerOptions;
  readonly #state: ServerState;
  readonly #frames: FrameCheck;
  readonly #open = new Set<ServerResponse>();
  readonly #running = new Set<Promise<void>>();
  #stopHeartbeat: (() => void) | undefined;

  constructor(options: ServerOptions, state: ServerState) {
    this.#options = options;
    this.#state = state;
    this.#frames = new FrameCheck(options.contracts);
    options.metrics.gauge('mesh_event_streams_open', 'Streams of server-sent events open now.', () => this.#open.size);
  }

  /** Sends the head of the answer, after which there is no refusal any more. */
  open(opening: EventsOpening): void {
    const { served, ip, ctx, reply } = opening;
    const lastEventId = this.#lastEventId(served.endpoint.spec, ctx.req.headers['last-event-id']);
    this.#state.places.require(ip);
    reply.setAll(HEAD);
    const response = reply.begin(ctx, 200);
    if (ctx.method === 'HEAD' || response.destroyed) {
      response.end();
      return;
    }
    response.write(COMMENT);
    const gone = this.#state.openCall();
    const giveBack = this.#state.places.take(ip);
    this.#open.add(response);
    this.#beat();
    response.once('close', () => {
      this.#open.delete(response);
      giveBack();
      gone.abort();
    });
    const run = this.#send(opening, response, lastEventId, gone.signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Ends every stream with 1001; cuts those that do not take it within 2 seconds. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    for (const response of this.#open) this.#end(response, 1001, 'the node is stopping');
    await Promise.all([...this.#open].map((response) => new Promise((resolve) => response.once('close', resolve))));
    this.#stopHeartbeat?.();
    await Promise.race([Promise.allSettled(this.#running), clock.sleep(CLOSING)]);
  }

  async #send(
    { served, admitted, ip, ctx, reply }: EventsOpening,
    response: ServerResponse,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { gates, clock, checkReplies } = this.#options;
    const { frame, eventId } = served.endpoint.spec as { frame: Contract; eventId?: Contract };
    const { params, query, headers, principal, hexIds } = admitted;
    const { requestId } = reply;
    const { socket: connection } = ctx.req;
    const slow = {
      connection,
      network: networkOf(ip),
      end: () => this.#end(response, CONSUMER_TOO_SLOW, 'consumer_too_slow'),
      destroy: () => response.destroy(),
    };
    const changed = hexIds ? (value: unknown) => inHex(value) : undefined;
    const inHex = (value: unknown) => withHexIds(gates.reader.shapes, frame, JSON.parse(JSON.stringify(value)));
    try {
      const ignored = [...admitted.ignored];
      const call = { params, query, headers, principal, ignored, ip, requestId, signal, lastEventId };
      const items = served.handler({ ...call, body: undefined, rawBody: NO_BODY, operationId: undefined });
      await pump(pipeOf(response), items, {
        clock,
        bytesOf: (item) => Buffer.from(eventText(item, changed)),
        sent: (count) => this.#state.sentTo(served.endpoint.path, count),
        unsent: () => this.#state.unsent.note(slow),
        ...(checkReplies && { check: (item: unknown) => this.#check(frame, eventId, item) }),
      });
      this.#end(response, this.#state.stopping() ? 1001 : 1000, '');
    } catch (error) {
      if (!signal.aborted) this.#failed(served, response, error);
    }
  }

  #check(contract: Contract, eventId: Contract | undefined, item: unknown): void {
    const { id, frame } = idAndFrame(item);
    this.#frames.check(contract, frame);
    const [problem] = id === undefined || !eventId ? [] : this.#options.contracts.problems(eventId, id);
    if (problem) throw new Error(`the id ${id} of an event breaks its contract: it ${problem.message}`);
  }

  #lastEventId({ eventId }: EventsSpec<string, unknown, unknown>, given: unknown): string | undefined {
    if (given === undefined || given === '') return undefined;
    const text = String(given);
    const message = isEventId(text)
      ? eventId && this.#options.contracts.problems(eventId, text)[0]?.message
      : 'must be 1 to 256 printable ASCII characters';
    if (message === undefined) return text;
    const wrong = `the Last-Event-ID header ${message}`;
    throw new MeshError('invalid_request', { detail: `${wrong}.`, fields: [{ pointer: '', message: wrong }] });
  }

  #failed(served: Mounted, response: ServerResponse, error: unknown): void {
    if (error instanceof Error && error.name === 'StreamEnd') {
      const { code, message } = error as StreamEnd;
      this.#end(response, code, message);
      return;
    }
    served.log.error({ err: error, at: placeOf(error), route: served.line }, 'a stream of events failed');
    this.#end(response, 1011, 'internal');
  }

  /** A client that does not read misses the end too: its waiting bytes are dropped, and its place is free. */
  #end(response: ServerResponse, code: number, reason: string): void {
    if (response.writableEnded || response.destroyed) return;
    response.end(endText(code, reason));
    const cancel = this.#options.clock.after(CLOSING, () => response.destroy());
    response.once('close', cancel);
  }

  #beat(): void {
    const { clock, heartbeat = HEARTBEAT } = this.#options;
    this.#stopHeartbeat ??= clock.every(heartbeat, () => {
      for (const response of this.#open) {
        if (!response.writableEnded && !response.writableNeedDrain) response.write(COMMENT);
      }
      if (this.#open.size > 0) return;
      this.#stopHeartbeat?.();
      this.#stopHeartbeat = undefined;
    });
  }
}

/** An answer in the place of the socket that frames are written to otherwise. */
function pipeOf(response: ServerResponse): Pipe {
  return {
    connection: {
      // Node gathers the events of a turn itself. Corked, an answer does not always tell that it has drained.
      cork() {},
      uncork() {},
      get writableLength() {
        return response.writableLength;
      },
      get writableNeedDrain() {
        return response.writableNeedDrain;
      },
      write: (bytes) => response.write(bytes),
      on: (name, listener) => response.on(name, listener),
      off: (name, listener) => response.off(name, listener),
    },
    socket: {
      OPEN: 1,
      get readyState() {
        return response.writableEnded || response.destroyed ? 3 : 1;
      },
      on: (name, listener) => response.on(name, listener),
      off: (name, listener) => response.off(name, listener),
    },
  };
}
