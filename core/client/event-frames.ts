import { visible } from '../platform/visible-text.ts';
import { ClientError, refusal } from './client-error.ts';
import { type FrameOptions, frameJudge } from './frame-options.ts';
import { address, type HttpCaller, parsed, WHERE } from './http-caller.ts';
import { type FrameSource, resumed } from './resumed.ts';

/** Characters of one event. */
const MOST_EVENT = 1024 * 1024;
/** Milliseconds without a byte: a server of these sends a comment every half minute. */
const SILENCE = 90_000;
const POLICY = 1008;
const PASSING = [408, 425, 429];

/**
 * The data of server-sent events as an async iterable, under the same rules as `frames`. The next connection asks for those
 * behind the last event that had an id (HTML, 9.2), and a server that gives its events none begins where it thinks best.
 */
export function eventFrames<T>(
  http: HttpCaller,
  path: string,
  { signal, query, member }: FrameOptions,
): AsyncGenerator<T> {
  let lastId: string | undefined;
  return resumed<T>(async (last) => {
    const { fetch: own, url, secret, timeout = 30_000 } = http.options;
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (secret !== undefined) headers['authorization'] = `Bearer ${secret}`;
    if (lastId !== undefined) headers['last-event-id'] = lastId;
    const since = last && member ? (last as Record<string, unknown>)[member] : query['since'];
    const took = (id: string) => {
      lastId = id;
    };
    const events = new Events<T>({ http, path, isFrame: frameJudge(member, since), took });
    const init: RequestInit = { headers, redirect: 'manual', signal: events.signal };
    await events.open(() => (own ?? fetch)(address(url, path, query), init), timeout, signal);
    return events;
  }, signal);
}

interface EventMeans {
  readonly http: HttpCaller;
  readonly path: string;
  readonly isFrame: (frame: unknown) => boolean;
  readonly took: (id: string) => void;
}

class Events<T> implements FrameSource<T> {
  readonly #means: EventMeans;
  readonly #end = new AbortController();
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #refused: ClientError | undefined;
  #text = '';
  /** Where no event ends before. */
  #searched = 0;
  #id: string | undefined;
  #isBroken = false;

  constructor(means: EventMeans) {
    this.#means = means;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  async open(ask: () => Promise<Response>, timeout: number, signal: AbortSignal | undefined): Promise<void> {
    const stop = () => this.close();
    signal?.addEventListener('abort', stop);
    try {
      const response = await this.#within(timeout, ask());
      const type = response.headers.get('content-type') ?? '';
      if (response.ok && /^text\/event-stream/i.test(type)) this.#reader = response.body?.getReader();
      else this.#refused = await this.#within(timeout, refusalOf(this.#means.path, response));
    } catch {
      // Nobody there, or not yet: the next connection may find somebody.
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async next(): Promise<T | undefined> {
    try {
      for (;;) {
        const event = this.#cut();
        if (event === undefined) {
          if (!(await this.#more())) return undefined;
          continue;
        }
        const { name, data, id } = event;
        if (name === 'end') return this.#ended(data);
        if (data === undefined) continue;
        const frame = parsed(data);
        if (!this.#means.isFrame(frame)) return this.#broken();
        if (id !== undefined) this.#means.took(id);
        return frame as T;
      }
    } catch {
      return undefined;
    }
  }

  async refusal(): Promise<ClientError | undefined> {
    return this.#refused;
  }

  fault(): ClientError | undefined {
    const words = `the server sends what is no event of this stream, or none behind the last one; ${WHERE}`;
    return this.#isBroken ? this.#error('invalid_answer', words) : undefined;
  }

  close(): void {
    this.#end.abort();
  }

  async #more(): Promise<boolean> {
    if (!this.#reader) return false;
    if (this.#text.length > MOST_EVENT) return this.#broken() ?? false;
    const { done, value } = await this.#within(SILENCE, this.#reader.read());
    if (done) return false;
    try {
      this.#text += this.#decoder.decode(value, { stream: true });
    } catch {
      return this.#broken() ?? false;
    }
    return true;
  }

  #broken(): undefined {
    this.#isBroken = true;
  }

  /** The next whole event of the text. */
  #cut(): { name: string; data: string | undefined; id: string | undefined } | undefined {
    const blank = /\r\n\r\n|\n\n|\r\r/g;
    blank.lastIndex = this.#searched;
    const end = blank.exec(this.#text);
    this.#searched = end ? 0 : Math.max(0, this.#text.length - 3);
    if (!end) return undefined;
    const lines = this.#text.slice(0, end.index).split(/\r\n|\n|\r/);
    this.#text = this.#text.slice(end.index + end[0].length);
    let name = 'message';
    const data: string[] = [];
    for (const line of lines) {
      const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      else if (field === 'event') name = value;
      else if (field === 'id' && /^[\x21-\x7e]{1,256}$/.test(value)) this.#id = value;
    }
    return { name, data: data.length > 0 ? data.join('\n') : undefined, id: this.#id };
  }

  #ended(data: string | undefined): undefined {
    const { code, reason } = Object(parsed(data ?? '')) as { code?: unknown; reason?: unknown };
    if (code !== POLICY) return;
    const said = typeof reason === 'string' && reason !== '' ? reason : 'the server refuses this stream';
    this.#refused = this.#error('stream_refused', said);
  }

  #error(code: string, words: string): ClientError {
    return new ClientError(`${this.#means.path}: ${visible(words)}`, { status: 0, code });
  }

  /** Closes the connection when the work is not done in time. */
  #within<R>(ms: number, work: Promise<R>): Promise<R> {
    const cancel = this.#means.http.after(ms, () => this.close());
    return work.finally(cancel);
  }
}

/** The error of an answer that asking again does not change. */
async function refusalOf(path: string, response: Response): Promise<ClientError | undefined> {
  const { status } = response;
  if (status >= 500 || PASSING.includes(status)) return undefined;
  if (!response.ok) return refusal(`GET ${path}`, response);
  await response.body?.cancel();
  return new ClientError(`GET ${path}: the answer is no stream of events; ${WHERE}`, {
    status,
    code: 'invalid_answer',
  });
}
