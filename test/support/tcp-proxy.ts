import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A TCP proxy that does to a connection what networks do. It changes behaviour for the bytes that come from then on. */
export class TcpProxy {
  /** Requests are swallowed. */
  dropRequests = false;
  /** Replies are swallowed. */
  dropReplies = false;
  /** Milliseconds that every piece takes, each way. */
  latency = 0;
  /** Requests stay here until `release`, also when their client has gone. */
  hold = false;
  readonly #held: { readonly data: Buffer; readonly to: Socket }[] = [];
  /** Passes one byte at a time. */
  trickle = false;
  /** Passes so many more bytes of replies, then cuts every connection; undefined for no limit. */
  replyBytes: number | undefined;
  /** The port that new connections lead to. */
  target: number;
  /** Connections that were made, ever. */
  connections = 0;
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();

  private constructor(target: number) {
    this.target = target;
    this.#listener = createServer((client) => this.#join(client, connect(this.target, '127.0.0.1')));
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#listener.address() as { port: number }).port}`;
  }

  /** Cuts once, at the next request that holds this text: before it is passed on, or when its reply has come. */
  trap: { readonly text: string; readonly before: boolean } | undefined;

  /** Swallows everything both ways, on old and new connections. */
  set blackHole(on: boolean) {
    this.dropRequests = on;
    this.dropReplies = on;
  }

  /** Brings what was held to where it was going. Connections whose client has gone end behind it. */
  release(): void {
    this.hold = false;
    const open = new Set([...this.#pairs].map(({ server }) => server));
    for (const { data, to } of this.#held.splice(0)) {
      to.write(data);
      if (!open.has(to)) to.end();
    }
  }

  cut(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  async close(): Promise<void> {
    this.release();
    this.cut();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #join(client: Socket, server: Socket): void {
    const pair = { client, server };
    this.connections++;
    this.#pairs.add(pair);
    const end = () => {
      client.destroy();
      if (!this.#held.some(({ to }) => to === server)) server.destroy();
      this.#pairs.delete(pair);
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (data) => this.#request(data, server));
    server.on('data', (data) => this.#reply(data, client));
  }

  #request(data: Buffer, server: Socket): void {
    const trap = this.trap && data.includes(this.trap.text) ? this.trap : undefined;
    if (trap) {
      this.trap = undefined;
      if (trap.before) {
        this.cut();
        return;
      }
      server.removeAllListeners('data');
      server.once('data', () => this.cut());
    }
    if (this.hold) this.#held.push({ data, to: server });
    else if (!this.dropRequests) this.#pass(data, server);
  }

  #reply(data: Buffer, client: Socket): void {
    if (this.dropReplies) return;
    if (this.replyBytes === undefined) {
      this.#pass(data, client);
      return;
    }
    const part = data.subarray(0, this.replyBytes);
    this.replyBytes -= part.length;
    client.write(part, () => {
      if (this.replyBytes === 0) this.cut();
    });
  }

  #pass(data: Buffer, to: Socket): void {
    if (this.latency > 0) setTimeout(() => to.writable && to.write(data), this.latency);
    else if (this.trickle) for (const byte of data) to.write(Buffer.of(byte));
    else to.write(data);
  }
}
