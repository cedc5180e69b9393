import type { WebSocket } from 'ws';
import type { Clock } from '../platform/clock.ts';

/** Pings every open socket each period and drops those that said nothing since the last one. */
export class Heartbeat {
  readonly #alive = new Map<WebSocket, boolean>();
  readonly #clock: Clock;
  readonly #period: number;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, period: number) {
    this.#clock = clock;
    this.#period = period;
  }

  watch(socket: WebSocket): void {
    this.#alive.set(socket, true);
    this.#cancel ??= this.#clock.every(this.#period, () => this.#beat());
    socket.on('pong', () => this.#alive.set(socket, true));
    socket.on('message', () => this.#alive.set(socket, true));
    socket.once('close', () => this.#alive.delete(socket));
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #beat(): void {
    if (this.#alive.size === 0) this.stop();
    for (const [socket, alive] of this.#alive) {
      if (!alive) socket.terminate();
      else {
        this.#alive.set(socket, false);
        socket.ping();
      }
    }
  }
}
