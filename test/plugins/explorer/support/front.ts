import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What becomes of a request: nothing unless it gives an answer. */
export type Fault = (path: string) => { status: number; body: string; type?: string } | 'hang' | undefined;

/** Stands in front of an aggregator, below a prefix, and makes what a page may meet: errors, silence, a socket that drops. */
export class Front {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hanging = new Set<ServerResponse>();
  readonly #target: URL;
  readonly #prefix: string;
  fault: Fault = () => undefined;
  refusesSockets = false;
  /** Documents come without the facts that stand in them, so their pages read all of them. */
  withholdsFacts = false;

  private constructor(target: string, prefix: string) {
    this.#target = new URL(target);
    this.#prefix = prefix;
    this.#server = createServer((req, res) => this.#answer(req, res));
    this.#server.on('upgrade', (req, socket, head) => this.#join(req, socket as Socket, head));
  }

  static async start(target: string, prefix = '/'): Promise<Front> {
    const front = new Front(target, prefix);
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#prefix}`;
  }

  /** Cuts every live socket. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.refusesSockets = true;
    this.cut();
    for (const response of this.#hanging) response.destroy();
    this.#server.closeAllConnections();
    await closed;
  }

  #pathOf({ url = '/' }: IncomingMessage): string | undefined {
    return url.startsWith(this.#prefix) ? `/${url.slice(this.#prefix.length)}` : undefined;
  }

  #options(req: IncomingMessage, path: string) {
    const { hostname, port } = this.#target;
    return { hostname, port, path, method: req.method ?? 'GET', headers: req.headers };
  }

  #answer(req: IncomingMessage, res: ServerResponse): void {
    const path = this.#pathOf(req);
    if (path === undefined) return void res.writeHead(404).end('outside of the prefix');
    const fault = this.fault(path);
    if (fault === 'hang') return void this.#hanging.add(res);
    if (fault)
      return void res.writeHead(fault.status, { 'content-type': fault.type ?? 'application/json' }).end(fault.body);
    const on = request(this.#options(req, path), (answer) => {
      if (this.withholdsFacts && answer.headers['content-type']?.startsWith('text/html'))
        return void this.#sendBare(answer, res);
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    on.on('error', () => res.destroy());
    req.pipe(on);
  }

  async #sendBare(answer: IncomingMessage, res: ServerResponse): Promise<void> {
    let page = '';
    for await (const chunk of answer.setEncoding('utf8')) page += chunk;
    const { 'content-length': _, ...headers } = answer.headers;
    res.writeHead(answer.statusCode ?? 502, headers).end(page.replace(/data-facts="[^"]*"/, 'data-facts=""'));
  }

  #join(req: IncomingMessage, socket: Socket, head: Buffer): void {
    const path = this.#pathOf(req);
    socket.on('error', () => {});
    if (path === undefined || this.refusesSockets) return void socket.destroy();
    // One that is not joined yet is cut too.
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const on = request(this.#options(req, path));
    on.on('upgrade', (answer, other, rest) => {
      const lines = answer.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      other.write(head);
      socket.write(rest);
      other.pipe(socket).pipe(other);
      for (const one of [socket, other]) {
        this.#sockets.add(one);
        one.on('error', () => {});
        one.once('close', () => {
          this.#sockets.delete(one);
          socket.destroy();
          other.destroy();
        });
      }
    });
    on.on('response', () => socket.destroy());
    on.on('error', () => socket.destroy());
    on.end();
  }
}
