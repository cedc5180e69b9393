import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { HttpNetwork } from '../../../core/http/network.ts';
import type { Clock } from '../../../core/platform/clock.ts';

/** What a call came by, as its server sees it. Nothing goes over it: only where it comes from and its end matter. */
class Wire extends Duplex {
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done();
  }

  destroySoon(): void {
    this.destroy();
  }
}

/** One call on its way through a server: Node's own request, and its own response short of writing it as HTTP. */
class Call extends ServerResponse {
  readonly #chunks: Buffer[] = [];

  constructor(from: string, url: URL, { method = 'GET', headers = {}, body }: RequestInit) {
    const request = new IncomingMessage(new Wire(from) as unknown as Socket);
    request.httpVersion = '1.1';
    request.method = method;
    request.url = `${url.pathname}${url.search}`;
    request.headers.host = url.host;
    for (const [name, value] of Object.entries(headers as Record<string, string>)) {
      request.headers[name.toLowerCase()] = value;
    }
    if (body != null) {
      const bytes = Buffer.from(body as string);
      request.headers['content-length'] = String(bytes.length);
      request.push(bytes);
    }
    request.push(null);
    request.complete = true;
    super(request);
  }

  /** What callers ask of a Response: its status, headers and body. The platform's own costs more than the call. */
  get answer(): Response {
    const { statusCode: status } = this;
    const answer: Pick<Response, 'ok' | 'status' | 'headers' | 'body'> = {
      ok: status >= 200 && status < 300,
      status,
      headers: new Headers(this.getHeaders() as Record<string, string>),
      body: wholeBody(Buffer.concat(this.#chunks)),
    };
    return answer as Response;
  }

  override write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(Buffer.from(chunk as string));
    return true;
  }

  override end(chunk?: unknown): this {
    if (chunk != null && typeof chunk !== 'function') this.write(chunk as string);
    this.finished = true;
    process.nextTick(() => {
      this.emit('finish');
      this.emit('close');
    });
    return this;
  }

  /** The caller is gone. */
  abort(): void {
    this.req.complete = false;
    this.req.destroy();
    this.emit('close');
  }
}

/**
 * HTTP between the nodes of one process, by host name: a server gets Node's own request and response, as from its
 * parser, and nothing is written as HTTP. Every call and every answer takes `latency` milliseconds of the given clock.
 */
export class VirtualHttp {
  readonly #clock: Clock;
  readonly #latency: () => number;
  readonly #servers = new Map<string, { readonly server: Server; readonly open: Set<Call> }>();
  readonly #away = new Set<string>();
  #addresses = 0;

  constructor(clock: Clock, latency: () => number) {
    this.#clock = clock;
    this.#latency = latency;
  }

  /** The network as one host sees it: servers opened here are reached under its name. */
  host(name: string): HttpNetwork {
    this.#addresses += 1;
    const address = `10.0.${this.#addresses >> 8}.${this.#addresses & 255}`;
    return {
      listen: async (server) => {
        const open = new Set<Call>();
        this.#servers.set(name, { server, open });
        return { port: 80, close: () => this.#close(name, open) };
      },
      fetch: (input, init) => this.#fetch(address, new URL(String(input)), init ?? {}),
      pinned: async ({ url, method, headers, body, signal, connected }) => {
        connected();
        const init = { method, headers, signal, ...(body && { body: Buffer.from(body).toString() }) };
        const answer = await this.#fetch(address, url, init);
        const { value = new Uint8Array() } = await answer.body!.getReader().read();
        return { status: answer.status, headers: answer.headers, body: one(value) };
      },
    };
  }

  /** Calls to this host find nobody, until `back`. */
  away(name: string): void {
    this.#away.add(name);
  }

  back(name: string): void {
    this.#away.delete(name);
  }

  async #close(name: string, open: ReadonlySet<Call>): Promise<void> {
    this.#servers.delete(name);
    await Promise.all([...open].map((call) => new Promise((resolve) => call.once('close', resolve))));
  }

  async #fetch(from: string, url: URL, init: RequestInit): Promise<Response> {
    const signal = init.signal ?? undefined;
    await this.#clock.sleep(this.#latency(), signal);
    const found = this.#away.has(url.hostname) ? undefined : this.#servers.get(url.hostname);
    if (!found) throw new TypeError('fetch failed', { cause: new Error(`nobody listens at ${url.host}`) });
    const { server, open } = found;
    const call = new Call(from, url, init);
    open.add(call);
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        reject(signal!.reason);
        call.abort();
      };
      signal?.addEventListener('abort', stop, { once: true });
      call.once('close', () => {
        open.delete(call);
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      server.emit('request', call.req, call);
    });
    await this.#clock.sleep(this.#latency(), signal);
    return call.answer;
  }
}

/** A body that is read in one piece. */
function wholeBody(bytes: Uint8Array): Response['body'] {
  const parts = [bytes];
  const reader = {
    read: async () => ({ value: parts[0], done: parts.pop() === undefined }),
    cancel: async () => {},
  };
  return { getReader: () => reader } as unknown as Response['body'];
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
