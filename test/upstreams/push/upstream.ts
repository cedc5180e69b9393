import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a service does in place of its duty, until it is told otherwise. */
export interface Fault {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** Milliseconds before it answers. */
  readonly delay?: number;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

/** A stand-in for a service that cannot be reached from here. It keeps what it was asked. */
export class Upstream {
  readonly requests: UpstreamRequest[] = [];
  /** Requests that broke the service's documentation, in words. */
  readonly complaints: string[] = [];
  fault: Fault | undefined;
  readonly url: string;
  readonly #close: () => void;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  static async start(
    answer: (request: UpstreamRequest, self: Upstream) => UpstreamAnswer | Promise<UpstreamAnswer>,
  ): Promise<Upstream> {
    let self: Upstream;
    const server = createServer((request, response) => void serve(request, response));
    async function serve(request: IncomingMessage, response: ServerResponse) {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      await self.answer(asked, answer, (status, headers, body) => response.writeHead(status, headers).end(body));
    }
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    self = new Upstream(`http://127.0.0.1:${port}`, () => {
      server.close();
      server.closeAllConnections();
    });
    return self;
  }

  /** One that is served by somebody else's server. */
  static on(url: string, close: () => void): Upstream {
    return new Upstream(url, close);
  }

  async answer(
    asked: UpstreamRequest,
    answer: (request: UpstreamRequest, self: Upstream) => UpstreamAnswer | Promise<UpstreamAnswer>,
    send: (status: number, headers: Record<string, string>, body: string) => unknown,
  ): Promise<void> {
    this.requests.push(asked);
    const { fault } = this;
    if (fault?.delay) await new Promise((resolve) => setTimeout(resolve, fault.delay));
    if (fault && (fault.status !== undefined || fault.body !== undefined)) {
      return void send(fault.status ?? 200, fault.headers ?? {}, fault.body ?? '');
    }
    const { status, json, headers } = await answer(asked, this);
    send(status, { 'content-type': 'application/json', ...headers }, json === undefined ? '' : JSON.stringify(json));
  }

  complain(what: string): UpstreamAnswer {
    this.complaints.push(what);
    return { status: 400, json: { error: what } };
  }

  stop(): void {
    this.#close();
  }
}
