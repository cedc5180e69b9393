import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';

/** A TCP proxy that cuts each connection after a random number of bytes of replies, which may be in the middle of anything. */
export class CuttingProxy {
  /** Connections that were cut, ever. */
  cuts = 0;
  /** The most bytes a connection passes; undefined for no limit. */
  most: number | undefined;
  readonly #listener: Server;

  private constructor(target: number) {
    this.#listener = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      let left = this.most === undefined ? Number.POSITIVE_INFINITY : Math.floor(Math.random() * this.most);
      const end = () => {
        client.destroy();
        server.destroy();
      };
      for (const socket of [client, server]) socket.on('error', end).on('close', end);
      client.on('data', (data) => server.write(data));
      server.on('data', (data) => {
        if (left < 0) return;
        const part = data.subarray(0, left);
        left -= data.length;
        if (left >= 0) client.write(part);
        else {
          this.cuts++;
          client.end(part, end);
        }
      });
    });
  }

  static async to(url: string, most: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(Number(new URL(url).port));
    proxy.most = most;
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#listener.address() as { port: number }).port}`;
  }

  close(): void {
    this.#listener.close();
  }
}
