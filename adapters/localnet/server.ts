import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { answerHttp, isLocal } from './http.ts';
import { listenOnPair } from './port-pair.ts';
import type { PubSub } from './pubsub.ts';
import type { Rpc } from './rpc.ts';

const MAX_CONNECTIONS = 512;
const KEEP_ALIVE_MS = 60_000;
const MAX_MESSAGE_BYTES = 256 * 1024;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1)$/;

export interface LocalnetServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves JSON-RPC and PubSub on `port`, and the same on the port after it. Only a loopback host is taken. */
export async function serve(rpc: Rpc, pubsub: PubSub, port: number, host: string): Promise<LocalnetServer> {
  if (!LOOPBACK.test(host)) throw new Error(`The localnet serves this machine only: ${host} is no loopback address.`);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  const servers: [Server, Server] = [httpServer(rpc), httpServer(rpc)];
  for (const server of servers) {
    server.on('upgrade', (request, socket: Duplex, head) => {
      if (!isLocal(request)) return socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
      sockets.handleUpgrade(request, socket, head, (webSocket) => pubsub.connect(webSocket));
    });
  }
  const chosen = await listenOnPair(servers, port, host);
  return {
    port: chosen,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await Promise.all(servers.map(closeServer));
    },
  };
}

function httpServer(rpc: Rpc): Server {
  const server = createServer((request, response) => {
    answerHttp(rpc, request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  // A client busy for a while would otherwise send into a connection that is just being closed.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });
}
