import type { WebSocket } from 'ws';
import type { Clock } from '../clock.ts';

/** Pings every open socket each period and drops those that said nothing since the last one. */
export class Heartbeat {
  readonly #alive = new Map<WebSocket, boolean>();
  readonly #cancel: () => void;

  constructor(clock: Clock, period: number) {
    this.#cancel = clock.every(period, () => this.#beat());
  }

  watch(socket: WebSocket): void {
    this.#alive.set(socket, true);
    socket.on('pong', () => this.#alive.set(socket, true));
    socket.on('message', () => this.#alive.set(socket, true));
    socket.once('close', () => this.#alive.delete(socket));
  }

  stop(): void {
    this.#cancel();
  }

  #beat(): void {
    for (const [socket, alive] of this.#alive) {
      if (!alive) socket.terminate();
      else {
        this.#alive.set(socket, false);
        socket.ping();
      }
    }
  }
}
