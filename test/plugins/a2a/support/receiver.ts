import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A receiver of push notifications that answers as it is told. */
export class Receiver {
  status = 200;
  /** The requests, in the order in which they came. */
  readonly bodies: any[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      this.headers.push(request.headers);
      this.bodies.push(JSON.parse(text));
      response.writeHead(this.status).end();
    });
  }

  static async start(): Promise<Receiver> {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    return new Receiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/told`;
  }

  async end(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
