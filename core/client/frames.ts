import { ClientError } from './client-error.ts';
import {
  address,
  type ClientOptions,
  type QueryValues,
  type WebSocketClass,
  type WebSocketLike,
} from './http-caller.ts';

/** Frames kept for a consumer that is busy; above this the stream reconnects and resumes behind the last one handed out. */
const BACKLOG = 1_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** The close code with which a server refuses what was asked for, so that asking again changes nothing. */
const POLICY = 1008;

export interface FrameOptions<T> {
  readonly signal?: AbortSignal | undefined;
  /** The query for the next connection: behind the last frame that was handed out, when there is one. */
  resume(last: T | undefined): QueryValues;
}

/**
 * The frames of a stream as an async iterable. A lost connection is made again, with growing pauses, behind the last
 * frame handed out. It ends when the consumer leaves the loop or the signal is aborted. It throws a ClientError with the
 * code `stream_refused` and the server's reason when the server closes with 1008, after the frames that came before.
 */
export async function* frames<T>(
  options: ClientOptions,
  path: string,
  { signal, resume }: FrameOptions<T>,
): AsyncGenerator<T> {
  const Socket = options.WebSocket ?? (await platformSocket());
  let last: T | undefined;
  let pause = FIRST_PAUSE;
  while (!signal?.aborted) {
    const connection = new Connection<T>(new Socket(streamAddress(options, path, resume(last)), protocols(options)));
    const stop = () => connection.close();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for (let frame = await connection.next(); frame !== undefined; frame = await connection.next()) {
        pause = FIRST_PAUSE;
        last = frame;
        yield frame;
      }
      const { refusal } = connection;
      if (refusal !== undefined && !signal?.aborted) {
        throw new ClientError(`${path}: ${refusal}`, { status: 0, code: 'stream_refused' });
      }
    } finally {
      signal?.removeEventListener('abort', stop);
      connection.close();
    }
    await sleep(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

class Connection<T> {
  readonly #socket: WebSocketLike;
  readonly #waiting: T[] = [];
  #closed = false;
  #refusal: string | undefined;
  #wake: (() => void) | undefined;

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.onmessage = (event: { data: unknown }) => {
      if (this.#closed) return;
      const frame = parsed(event.data) as T | undefined;
      if (frame === undefined || this.#waiting.length >= BACKLOG) return this.close();
      this.#waiting.push(frame);
      this.#wake?.();
    };
    socket.onerror = () => {};
    socket.onclose = (event: { code: number; reason: string }) => {
      if (event.code === POLICY && !this.#closed) this.#refusal = event.reason || 'the server refuses this stream';
      this.#closed = true;
      this.#wake?.();
    };
  }

  /** The server's reason for refusing the stream, once the connection has ended with it. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The next frame, or undefined at the end of the connection. */
  async next(): Promise<T | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift();
  }

  close(): void {
    this.#closed = true;
    this.#socket.close();
    this.#wake?.();
  }
}

/** Undefined for what is no JSON. */
function parsed(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}

function streamAddress(options: ClientOptions, path: string, query: QueryValues): string {
  return address(options.url, path, query).replace(/^http/, 'ws');
}

/** Browsers cannot set headers on a WebSocket; the credential travels as a subprotocol, which no log writes. */
function protocols(options: ClientOptions): string[] {
  return options.secret === undefined ? [] : ['mesh.bearer', options.secret];
}

async function platformSocket(): Promise<WebSocketClass> {
  const own = (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
  return own ?? ((await import('ws')).WebSocket as unknown as WebSocketClass);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done, { once: true });
  });
}
