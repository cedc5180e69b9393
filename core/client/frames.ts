import { ClientError } from './client-error.ts';
import { type FrameOptions, isFrame } from './frame-options.ts';
import {
  address,
  type ClientOptions,
  type HttpCaller,
  parsed,
  type QueryValues,
  type WebSocketClass,
  type WebSocketLike,
} from './http-caller.ts';
import { type FrameSource, resumed } from './resumed.ts';

/** Frames kept for a consumer that is busy; above this the stream reconnects and resumes behind the last one handed out. */
const BACKLOG = 1_000;
/** The close code with which a server refuses what was asked for, so that asking again changes nothing. */
const POLICY = 1008;
/** Statuses of a plain request that do not say that the stream is refused for good. */
const PASSING = [408, 425, 426, 429];

/**
 * The frames of a WebSocket as an async iterable. A lost connection is made again, with growing pauses, behind the last
 * frame handed out. It ends when the consumer leaves the loop or the signal is aborted. It throws a ClientError with the
 * code `stream_refused` and the server's reason when the server closes with 1008, after the frames that came before, and
 * the server's own refusal when it refuses the connection.
 */
export async function* frames<T>(
  http: HttpCaller,
  path: string,
  { signal, query, member }: FrameOptions,
): AsyncGenerator<T> {
  const { options } = http;
  const Socket = options.WebSocket ?? (await platformSocket());
  yield* resumed<T>((last) => {
    const since = last && member && { since: (last as Record<string, any>)[member] };
    const asked = { ...query, ...since };
    const socket = new Socket(streamAddress(options, path, asked), protocols(options));
    return new Connection<T>(socket, { http, path, query: asked, member, patience: options.timeout ?? 30_000 });
  }, signal);
}

interface Opening {
  readonly http: HttpCaller;
  readonly path: string;
  readonly query: QueryValues;
  readonly member: string | undefined;
  /** Milliseconds for the server to open the connection. */
  readonly patience: number;
}

class Connection<T> implements FrameSource<T> {
  readonly #socket: WebSocketLike;
  readonly #opening: Opening;
  readonly #waiting: T[] = [];
  #opened = false;
  #closed = false;
  #reason: string | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: WebSocketLike, opening: Opening) {
    this.#socket = socket;
    this.#opening = opening;
    const late = setTimeout(() => this.close(), opening.patience);
    socket.onopen = () => {
      clearTimeout(late);
      this.#opened = true;
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (this.#closed) return;
      const frame = typeof event.data === 'string' ? parsed(event.data) : undefined;
      if (!isFrame(frame, opening.member) || this.#waiting.length >= BACKLOG) return this.close();
      this.#waiting.push(frame as T);
      this.#wake?.();
    };
    socket.onerror = () => {};
    socket.onclose = (event: { code: number; reason: string }) => {
      clearTimeout(late);
      if (event.code === POLICY && !this.#closed) this.#reason = event.reason || 'the server refuses this stream';
      this.#closed = true;
      this.#wake?.();
    };
  }

  async next(): Promise<T | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift();
  }

  /** A WebSocket does not tell why it was not opened; a plain request of the same address does. */
  async refusal(): Promise<ClientError | undefined> {
    const { http, path, query } = this.#opening;
    if (this.#reason !== undefined) {
      return new ClientError(`${path}: ${this.#reason}`, { status: 0, code: 'stream_refused' });
    }
    if (this.#opened) return undefined;
    const error = await http.get(path, query).then(
      () => undefined,
      (thrown: ClientError) => thrown,
    );
    const { status = 0 } = error ?? {};
    return status >= 400 && status < 500 && !PASSING.includes(status) ? error : undefined;
  }

  close(): void {
    this.#closed = true;
    this.#socket.close();
    this.#wake?.();
  }
}

function streamAddress(options: ClientOptions, path: string, query: QueryValues): string {
  return address(options.url, path, query).replace(/^http/, 'ws');
}

/** Browsers cannot set headers on a WebSocket; the credential travels as a subprotocol, which no log writes. */
function protocols(options: ClientOptions): string[] {
  return options.secret === undefined ? [] : ['mesh.bearer', options.secret];
}

/** Node 20 has no WebSocket of its own. Bundlers look for no package by this name, and browsers never come here. */
const PACKAGE: string = 'ws';

async function platformSocket(): Promise<WebSocketClass> {
  const own = (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  if (own) return own;
  try {
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ PACKAGE)).WebSocket as WebSocketClass;
  } catch (cause) {
    const message = 'this platform has no WebSocket; give the client one with the option WebSocket';
    throw new ClientError(message, { status: 0, code: 'no_websocket', cause });
  }
}
