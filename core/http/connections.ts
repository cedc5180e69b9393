import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../platform/addresses.ts';
import { KeyedCounter } from '../platform/keyed-counter.ts';

export interface ConnectionLimits {
  /** From everybody. */
  readonly most: number;
  /** From one address, or one IPv6 network; undefined behind a proxy, where all come from one. */
  readonly perIp?: number;
}

/**
 * Connections beyond the most that programs on this machine may open: whoever comes from outside and takes all others
 * does not keep the owner from its node. These addresses are exactly those that `localhost` stands for.
 */
const OWN = 64;
const LOCALHOST = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** How many answers a connection owes, or sockets it has become. */
interface Connection {
  busy: number;
  /** One listener for all answers of the connection. */
  readonly answered: () => void;
}

export interface ConnectionOptions extends ConnectionLimits {
  /** Answers a connection that is one too many, and closes it. */
  refuse(socket: Socket, detail: string): void;
}

/**
 * The TCP connections of a server and whether each is answering. Node's own `closeIdleConnections` leaves connections
 * that never sent a request, which would hold up a stop; its `maxConnections` drops callers without a word.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #open = new Map<Socket, Connection>();
  readonly #perNetwork = new KeyedCounter();
  #closing = false;

  constructor(server: Server, options: ConnectionOptions) {
    this.#options = options;
    // Node's own listener starts to read requests: it must not see a connection that is refused.
    const accept = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', (socket) => {
      if (this.#admit(socket)) for (const each of accept) each.call(server, socket);
    });
    server.on('request', ({ socket }, response) => {
      const connection = this.#open.get(socket);
      if (!connection) return;
      connection.busy += 1;
      response.on('close', connection.answered);
    });
    server.on('upgrade', ({ socket }) => {
      const connection = this.#open.get(socket);
      if (connection) connection.busy += 1;
    });
  }

  /** Closes every connection as soon as it has nothing to answer. Upgraded ones are left to the WebSocket server. */
  closeWhenIdle(): void {
    this.#closing = true;
    for (const [socket, { busy }] of this.#open) if (busy === 0) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #admit(socket: Socket): boolean {
    const { most, perIp = most } = this.#options;
    const network = networkOf(socket.remoteAddress ?? '');
    const others = this.#perNetwork.of(network);
    this.#open.set(socket, this.#connection(socket));
    const giveBack = this.#perNetwork.take(network);
    socket.once('close', () => {
      this.#open.delete(socket);
      giveBack();
    });
    const full = this.#open.size > (LOCALHOST.has(socket.remoteAddress ?? '') ? most + OWN : most);
    if (!full && others < perIp) return true;
    socket.on('error', () => socket.destroy());
    this.#options.refuse(
      socket,
      full ? 'Too many connections are open.' : 'Too many connections from one address are open.',
    );
    return false;
  }

  #connection(socket: Socket): Connection {
    const connection: Connection = {
      busy: 0,
      answered: () => {
        connection.busy -= 1;
        if (this.#closing && connection.busy === 0) socket.destroySoon();
      },
    };
    return connection;
  }
}
