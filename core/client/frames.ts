import { visible } from '../platform/visible-text.ts';
import { ClientError } from './client-error.ts';
import { type FrameOptions, frameJudge } from './frame-options.ts';
import {
  address,
  type ClientOptions,
  type HttpCaller,
  parsed,
  type QueryValues,
  type WebSocketLike,
  WHERE,
} from './http-caller.ts';
import { platformSocket } from './platform-socket.ts';
import { type FrameSource, resumed } from './resumed.ts';

/**
 * Frames and their characters kept for a consumer that is busy; above either the stream reconnects and resumes behind the last one
 * handed out.
 */
const BACKLOG = 1_000;
const BACKLOG_TEXT = 16 * 1024 * 1024;
/** Milliseconds without a byte, where the platform tells of the pings that a server sends each half minute. */
const SILENCE = 90_000;
/** The close code with which a server refuses what was asked for, so that asking again changes nothing. */
const POLICY = 1008;
const NO_FRAME = `the server sends what is no frame of this stream, or none behind the last one; ${WHERE}`;
/** Statuses of a plain request that do not say that the stream is refused for good. */
const PASSING = [408, 425, 426, 429];

/**
 * The frames of a WebSocket as an async iterable. A lost connection is made again, with growing pauses, behind the last
 * frame handed out. It ends when the consumer leaves the loop or the signal is aborted. It throws a ClientError with the
 * code `stream_refused` and the server's reason when the server closes with 1008, after the frames that came before, the
 * server's own refusal when it refuses the connection, and `invalid_answer` when nothing but what is no frame comes.
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
    return new Connection<T>(socket, { http, path, query: asked, member, signal });
  }, signal);
}

interface Opening {
  readonly http: HttpCaller;
  readonly path: string;
  readonly query: QueryValues;
  readonly member: string | undefined;
  readonly signal: AbortSignal | undefined;
}

class Connection<T> implements FrameSource<T> {
  readonly #socket: WebSocketLike;
  readonly #opening: Opening;
  readonly #isFrame: (frame: unknown) => boolean;
  readonly #waiting: { readonly frame: T; readonly size: number }[] = [];
  #waitingText = 0;
  #opened = false;
  #closed = false;
  #reason: string | undefined;
  #fault: string | undefined;
  #wake: (() => void) | undefined;
  /** Forgets when the connection is given up for its silence. */
  #calm: () => void;

  constructor(socket: WebSocketLike, opening: Opening) {
    this.#socket = socket;
    this.#opening = opening;
    this.#isFrame = frameJudge(opening.member, opening.query['since']);
    const { http } = opening;
    this.#calm = http.after(http.options.timeout ?? 30_000, () => this.close());
    socket.onopen = () => {
      this.#opened = true;
      this.#heard();
    };
    socket.onmessage = (event: { data: unknown }) => this.#take(event.data);
    // An error of an open line is one of the protocol where the platform keeps those apart from lost connections.
    socket.onerror = () => {
      if (this.#opened && !this.#closed && socket.on) this.#fault = NO_FRAME;
    };
    socket.onclose = (event: { code: number; reason: string }) => {
      this.#calm();
      if (event.code === POLICY && !this.#closed) this.#reason = event.reason || 'the server refuses this stream';
      this.#closed = true;
      this.#wake?.();
    };
    socket.on?.('ping', () => this.#heard());
  }

  async next(): Promise<T | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const next = this.#waiting.shift();
    this.#waitingText -= next?.size ?? 0;
    return next?.frame;
  }

  /** A WebSocket does not tell why it was not opened; a plain request of the same address does. */
  async refusal(): Promise<ClientError | undefined> {
    const { http, path, query, signal } = this.#opening;
    if (this.#reason !== undefined) return this.#error('stream_refused', this.#reason);
    if (this.#opened) return undefined;
    const error = await http.send({ method: 'GET', path, query, answer: 'value', signal }).then(
      () => undefined,
      (thrown: ClientError) => thrown,
    );
    const { status = 200, code } = error ?? {};
    if (status >= 200 && status < 300) this.#fault = `the server opens no stream; ${WHERE}`;
    const isFinal = code === 'redirected' || (status >= 400 && status < 500 && !PASSING.includes(status));
    return isFinal ? error : undefined;
  }

  fault(): ClientError | undefined {
    return this.#fault === undefined ? undefined : this.#error('invalid_answer', this.#fault);
  }

  close(): void {
    this.#calm();
    this.#closed = true;
    this.#socket.close();
    this.#wake?.();
  }

  #take(data: unknown): void {
    if (this.#closed) return;
    this.#heard();
    const frame = typeof data === 'string' ? parsed(data) : undefined;
    const size = typeof data === 'string' ? data.length : 0;
    const isFrame = this.#isFrame(frame);
    if (!isFrame) this.#fault = NO_FRAME;
    if (isFrame && this.#hasRoom(size)) {
      this.#waiting.push({ frame: frame as T, size });
      this.#waitingText += size;
      this.#wake?.();
    } else this.close();
  }

  #hasRoom(size: number): boolean {
    const { length } = this.#waiting;
    return length === 0 || (length < BACKLOG && this.#waitingText + size <= BACKLOG_TEXT);
  }

  /** A browser does not tell of pings, so silence says nothing there. */
  #heard(): void {
    this.#calm();
    if (this.#socket.on) this.#calm = this.#opening.http.after(SILENCE, () => this.close());
  }

  #error(code: string, words: string): ClientError {
    return new ClientError(`${this.#opening.path}: ${visible(words)}`, { status: 0, code });
  }
}

function streamAddress(options: ClientOptions, path: string, query: QueryValues): string {
  return address(options.url, path, query).replace(/^http/, 'ws');
}

/** Browsers cannot set headers on a WebSocket; the credential travels as a subprotocol, which no log writes. */
function protocols(options: ClientOptions): string[] {
  return options.secret === undefined ? [] : ['mesh.bearer', options.secret];
}
