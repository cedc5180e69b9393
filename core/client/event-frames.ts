import { ClientError, refusal } from './client-error.ts';
import { type FrameOptions, isFrame } from './frame-options.ts';
import { address, type HttpCaller, parsed } from './http-caller.ts';
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
  return resumed<T>(async () => {
    const { fetch: own, url, secret, timeout = 30_000 } = http.options;
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (secret !== undefined) headers['authorization'] = `Bearer ${secret}`;
    if (lastId !== undefined) headers['last-event-id'] = lastId;
    const events = new Events<T>(path, member, (id) => {
      lastId = id;
    });
    const init: RequestInit = { headers, redirect: 'manual', signal: events.signal };
    await events.open(() => (own ?? fetch)(address(url, path, query), init), timeout, signal);
    return events;
  }, signal);
}

class Events<T> implements FrameSource<T> {
  readonly #path: string;
  readonly #member: string | undefined;
  readonly #took: (id: string) => void;
  readonly #end = new AbortController();
  readonly #decoder = new TextDecoder();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #refused: ClientError | undefined;
  #text = '';
  /** Where no event ends before. */
  #searched = 0;
  #id: string | undefined;

  constructor(path: string, member: string | undefined, took: (id: string) => void) {
    this.#path = path;
    this.#member = member;
    this.#took = took;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  async open(ask: () => Promise<Response>, timeout: number, signal: AbortSignal | undefined): Promise<void> {
    const stop = () => this.close();
    signal?.addEventListener('abort', stop);
    try {
      const response = await within(timeout, stop, ask());
      const type = response.headers.get('content-type') ?? '';
      if (response.ok && /^text\/event-stream/i.test(type)) this.#reader = response.body?.getReader();
      else this.#refused = await refusalOf(this.#path, response);
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
        if (!isFrame(frame, this.#member)) return undefined;
        if (id !== undefined) this.#took(id);
        return frame as T;
      }
    } catch {
      return undefined;
    }
  }

  async refusal(): Promise<ClientError | undefined> {
    return this.#refused;
  }

  close(): void {
    this.#end.abort();
  }

  async #more(): Promise<boolean> {
    if (!this.#reader || this.#text.length > MOST_EVENT) return false;
    const { done, value } = await within(SILENCE, () => this.close(), this.#reader.read());
    if (done) return false;
    this.#text += this.#decoder.decode(value, { stream: true });
    return true;
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
    this.#refused = new ClientError(`${this.#path}: ${said}`, { status: 0, code: 'stream_refused' });
  }
}

/** The error of an answer that asking again does not change. */
async function refusalOf(path: string, response: Response): Promise<ClientError | undefined> {
  const { status } = response;
  if (status >= 500 || PASSING.includes(status)) return undefined;
  if (!response.ok) return refusal(`GET ${path}`, response);
  await response.body?.cancel();
  return new ClientError(`GET ${path}: the answer is no stream of events`, { status, code: 'invalid_answer' });
}

async function within<T>(ms: number, late: () => void, work: Promise<T>): Promise<T> {
  const timer = setTimeout(late, ms);
  return work.finally(() => clearTimeout(timer));
}
