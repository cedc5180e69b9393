import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The TCP connections of a server and whether each is answering. Node's own `closeIdleConnections` leaves connections
 * that never sent a request, which would hold up a stop.
 */
export class Connections {
  readonly #busy = new Map<Socket, number>();
  #closing = false;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#busy.set(socket, 0);
      socket.once('close', () => this.#busy.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      this.#change(socket, 1);
      response.once('close', () => this.#change(socket, -1));
    });
    server.on('upgrade', ({ socket }) => this.#change(socket, 1));
  }

  /** Closes every connection as soon as it has nothing to answer. Upgraded ones are left to the WebSocket server. */
  closeWhenIdle(): void {
    this.#closing = true;
    for (const [socket, busy] of this.#busy) if (busy === 0) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#busy.keys()) socket.destroy();
  }

  #change(socket: Socket, by: 1 | -1): void {
    const busy = this.#busy.get(socket);
    if (busy === undefined) return;
    this.#busy.set(socket, busy + by);
    if (this.#closing && busy + by === 0) socket.destroySoon();
  }
}
