import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** The server does this with a connection once the head of a request is there; `nth` counts the requests since the last `reset`. */
export type Serve = (socket: Socket, request: string, nth: number) => void;

/** A server of bytes: what it answers needs not be HTTP. */
export class HostileServer {
  serve: Serve = (socket) => void socket.destroy();
  /** The heads of the requests. */
  asked: string[] = [];
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #gone = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => {
      this.#open.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          this.#open.delete(socket);
          this.#gone.add(socket);
        });
      let text = '';
      let isWhole = false;
      socket.on('data', (data) => {
        if (isWhole) return;
        text += data.toString('latin1');
        isWhole = text.includes('\r\n\r\n');
        if (!isWhole) return;
        this.asked.push(text.slice(0, text.indexOf('\r\n\r\n')));
        this.serve(socket, text, this.asked.length - 1);
      });
    });
  }

  static async start(): Promise<HostileServer> {
    const server = new HostileServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Bytes that it could hand to the other side since the last `reset`. */
  get sent(): number {
    return [...this.#open, ...this.#gone].reduce((sum, socket) => sum + socket.bytesWritten, 0);
  }

  /** The first lines of the requests, without the version. */
  get lines(): string[] {
    return this.asked.map((head) => head.split(' HTTP/')[0]!);
  }

  reset(): void {
    this.asked = [];
    for (const socket of this.#open) socket.destroy();
    this.#gone.clear();
  }

  close(): void {
    for (const socket of this.#open) socket.destroy();
    this.#server.close();
  }
}

/** An answer as bytes, with its length unless the head says otherwise. */
export function answer(body: string | Buffer, head = '', status = '200 OK'): Buffer {
  const bytes = Buffer.from(body as string);
  const length = /length|chunked/i.test(head) ? '' : `Content-Length: ${bytes.length}\r\n`;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${length}${head}\r\n`), bytes]);
}

/** Writes as much as the other side takes. */
export function flood(socket: Socket, head: string | Buffer, piece: string | Buffer): void {
  socket.write(head);
  const pieces = Buffer.from((piece as string).length > 4096 ? (piece as string) : piece.toString().repeat(4096));
  const more = () => {
    while (!socket.destroyed && socket.write(pieces));
  };
  socket.on('drain', more);
  more();
}

/** The answer that opens a WebSocket. */
export function switched(request: string): string {
  const key = /Sec-WebSocket-Key: (.*)\r/i.exec(request)?.[1] ?? '';
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  // A client that offers protocols wants one of them.
  const chosen = /sec-websocket-protocol: ([^,\r]*)/i.exec(request)?.[1];
  const protocol = chosen === undefined ? '' : `Sec-WebSocket-Protocol: ${chosen}\r\n`;
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${protocol}Sec-WebSocket-Accept: ${accept}\r\n\r\n`;
}

/** A frame of a server (RFC 6455, 5.2). */
export function frame(
  payload: string | Buffer,
  first = 0x81,
  more: { masked?: boolean; length?: bigint } = {},
): Buffer {
  const bytes = Buffer.from(payload as string);
  const mark = more.masked ? 0x80 : 0;
  if (more.length !== undefined || bytes.length > 0xffff) {
    const head = Buffer.from([first, mark | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    head.writeBigUInt64BE(more.length ?? BigInt(bytes.length), 2);
    return Buffer.concat([head, bytes]);
  }
  if (bytes.length < 126) return Buffer.concat([Buffer.from([first, mark | bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([first, mark | 126, bytes.length >> 8, bytes.length & 255]), bytes]);
}
